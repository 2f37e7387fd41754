/** What a file's names of packages stand for, by `import` or `require`. */
import { keyOf, memberChain, type NodeOf, type SourceFile, type SyntaxNode } from "./syntax.ts";

export interface Imported {
  readonly module: string;
  /** `default`, `*`, or the exported name. */
  readonly name: string;
}

export function importsOf({ program }: SourceFile): ReadonlyMap<string, Imported> {
  const found = new Map<string, Imported>();
  for (const statement of program.body) {
    if (statement.type === "ImportDeclaration" && statement.importKind !== "type") {
      const module = statement.source.value;
      for (const one of statement.specifiers) {
        if (one.type === "ImportSpecifier" && one.importKind === "type") continue;
        const name =
          one.type === "ImportDefaultSpecifier"
            ? "default"
            : one.type === "ImportSpecifier"
              ? keyOf(one.imported)
              : "*";
        found.set(one.local.name, { module, name: name ?? "*" });
      }
    } else if (statement.type === "VariableDeclaration") {
      for (const { id, init } of statement.declarations)
        for (const [name, what] of required(id, init)) found.set(name, what);
    }
  }
  return found;
}

/** `const X = require("m")`, `require("m").default`, `const { A, B: C } = require("m")`. */
function required(id: SyntaxNode, init: SyntaxNode | null | undefined): readonly (readonly [string, Imported])[] {
  const { root, path } = init ? memberChain(init) : { root: undefined, path: [] };
  if (root?.type !== "CallExpression" || root.callee.type !== "Identifier" || root.callee.name !== "require") return [];
  const [specifier] = root.arguments;
  if (specifier?.type !== "StringLiteral") return [];
  const module = specifier.value;
  if (id.type === "Identifier") return [[id.name, { module, name: path[0] ?? "*" }]];
  if (id.type !== "ObjectPattern") return [];
  return id.properties.flatMap((one) => {
    if (one.type !== "ObjectProperty" || one.value.type !== "Identifier") return [];
    return [[one.value.name, { module, name: keyOf(one.key) ?? "*" }] as const];
  });
}

export function isCommonjs({ program, text }: SourceFile): boolean {
  const modules = program.body.some(({ type }) => type === "ImportDeclaration" || type.startsWith("Export"));
  return !modules && /\brequire\s*\(|\bmodule\.exports\b/.test(text);
}

/** The last import of the file; a line after it is among the imports. */
export function lastImport({
  program,
}: SourceFile): NodeOf<"ImportDeclaration"> | NodeOf<"VariableDeclaration"> | undefined {
  let last: NodeOf<"ImportDeclaration"> | NodeOf<"VariableDeclaration"> | undefined;
  for (const one of program.body) {
    const requires =
      one.type === "VariableDeclaration" && one.declarations.some(({ id, init }) => required(id, init).length > 0);
    if (one.type === "ImportDeclaration" || requires) last = one;
  }
  return last;
}
