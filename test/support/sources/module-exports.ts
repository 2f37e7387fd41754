import { dirname, join, normalize } from "node:path";
import { parse } from "@babel/parser";
import type { Declaration, Identifier, LVal, Node, StringLiteral, VoidPattern } from "@babel/types";

/** What one module gives to others and takes from them. */
export interface ModuleNames {
  /** Names that the module defines and exports. */
  readonly defined: readonly string[];
  /** Names that it passes on from another module; `*` is all of them. */
  readonly passedOn: readonly Taken[];
  /** Names that it imports; `*` is the whole module, which `import()` and `import * as` give. */
  readonly taken: readonly Taken[];
}

export interface Taken {
  /** The module's path, relative to the project's root; a package's name as it is written. */
  readonly from: string;
  readonly name: string;
}

const nameOf = (node: Identifier | StringLiteral): string => (node.type === "Identifier" ? node.name : node.value);

function boundBy(pattern: LVal | VoidPattern): string[] {
  if (pattern.type === "Identifier") return [pattern.name];
  if (pattern.type === "ObjectPattern")
    return pattern.properties.flatMap((property) =>
      property.type === "ObjectProperty" ? boundBy(property.value as LVal) : [],
    );
  return [];
}

function declared(declaration: Declaration): string[] {
  if (declaration.type === "VariableDeclaration") return declaration.declarations.flatMap(({ id }) => boundBy(id));
  return "id" in declaration && declaration.id?.type === "Identifier" ? [declaration.id.name] : [];
}

/** Calls `see` with every node of a syntax tree. */
function walk(value: unknown, see: (node: Node) => void): void {
  if (Array.isArray(value)) for (const item of value) walk(item, see);
  else if (value !== null && typeof value === "object" && "type" in value) {
    see(value as Node);
    for (const [key, child] of Object.entries(value)) if (key !== "loc") walk(child, see);
  }
}

/** Returns the names that the text of a TypeScript module exports and imports. Throws where the text does not parse. */
export function moduleNames(file: string, text: string): ModuleNames {
  const { program } = parse(text, { sourceType: "module", plugins: ["typescript"] });
  const path = (specifier: string) =>
    specifier.startsWith(".") ? normalize(join(dirname(file), specifier)) : specifier;
  const defined: string[] = [];
  const passedOn: Taken[] = [];
  const taken: Taken[] = [];
  for (const node of program.body) {
    if (node.type === "ImportDeclaration")
      for (const item of node.specifiers) {
        const name = item.type === "ImportSpecifier" ? nameOf(item.imported) : "*";
        taken.push({ from: path(node.source.value), name: item.type === "ImportDefaultSpecifier" ? "default" : name });
      }
    else if (node.type === "ExportAllDeclaration") passedOn.push({ from: path(node.source.value), name: "*" });
    else if (node.type === "ExportNamedDeclaration") {
      if (node.declaration) defined.push(...declared(node.declaration));
      for (const item of node.specifiers) {
        if (item.type !== "ExportSpecifier") continue;
        if (node.source) passedOn.push({ from: path(node.source.value), name: nameOf(item.local) });
        else defined.push(nameOf(item.exported));
      }
    }
  }
  // `import("./x.ts")` as an expression and as a type.
  walk(program.body, (node) => {
    if (node.type === "CallExpression" && node.callee.type === "Import" && node.arguments[0]?.type === "StringLiteral")
      taken.push({ from: path(node.arguments[0].value), name: "*" });
    if (node.type === "ImportExpression" && node.source.type === "StringLiteral")
      taken.push({ from: path(node.source.value), name: "*" });
    if (node.type === "TSImportType") {
      const source = node.argument as Node;
      const literal = source.type === "TSLiteralType" ? source.literal : source;
      if (literal.type === "StringLiteral")
        taken.push({
          from: path(literal.value),
          name: node.qualifier?.type === "Identifier" ? node.qualifier.name : "*",
        });
    }
  });
  return { defined, passedOn, taken };
}
