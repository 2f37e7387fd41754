/** JavaScript and TypeScript, parsed: nodes with positions, their parents, and the names that are taken. */
import { parse } from "@babel/parser";
import type { Function as FunctionSyntax, Node } from "@babel/types";

export type { FunctionSyntax };
export type SyntaxNode = Node;
export type NodeOf<Type extends Node["type"]> = Extract<Node, { type: Type }>;

export interface SourceFile {
  /** Relative to the project, with `/`. */
  readonly path: string;
  readonly text: string;
  readonly program: NodeOf<"Program">;
  readonly parents: ReadonlyMap<Node, Node>;
  /** Every identifier that occurs anywhere as a name of its own. */
  readonly names: ReadonlySet<string>;
  /** Names of variables that are assigned after their declaration, anywhere. */
  readonly assigned: ReadonlySet<string>;
}

/** Throws `SyntaxError` with the position where it cannot be read. */
export function parseFile(path: string, text: string): SourceFile {
  const typescript = /\.[cm]?tsx?$/.test(path);
  const markup = /\.[cm]?(jsx?|tsx)$/.test(path);
  const { program } = parse(text, {
    sourceType: "unambiguous",
    allowReturnOutsideFunction: true,
    plugins: [
      ...(typescript ? (["typescript", "decorators-legacy"] as const) : []),
      ...(markup ? ["jsx" as const] : []),
    ],
  });
  const parents = new Map<Node, Node>();
  const names = new Set<string>();
  const assigned = new Set<string>();
  walk(program, (node, parent) => {
    if (parent) parents.set(node, parent);
    if (node.type === "Identifier" && !isKey(node, parent)) names.add(node.name);
    const target =
      node.type === "AssignmentExpression" ? node.left : node.type === "UpdateExpression" ? node.argument : null;
    if (target) walk(target, (at) => void (at.type === "Identifier" && assigned.add(at.name)));
  });
  return { path, text, program, parents, names, assigned };
}

/** A key or a property: it takes no name away from variables. */
function isKey(node: Node, parent: Node | undefined): boolean {
  if (parent?.type === "MemberExpression") return parent.property === node && !parent.computed;
  return parent?.type === "ObjectProperty" && parent.key === node && !parent.computed && !parent.shorthand;
}

/** Visits a node and all below it, outermost first; `false` skips what is below. */
export function walk(node: Node, visit: (node: Node, parent: Node | undefined) => unknown, parent?: Node): void {
  if (visit(node, parent) === false) return;
  for (const child of childrenOf(node)) walk(child, visit, node);
}

const NOT_CHILDREN: ReadonlySet<string> = new Set([
  "leadingComments",
  "trailingComments",
  "innerComments",
  "loc",
  "extra",
]);

export function childrenOf(node: Node): readonly Node[] {
  const values = Object.entries(node).flatMap(([key, value]: [string, unknown]) =>
    NOT_CHILDREN.has(key) ? [] : value,
  );
  return values.filter(isNode).sort((a, b) => startOf(a) - startOf(b));
}

function isNode(value: unknown): value is Node {
  return (
    typeof value === "object" && value !== null && "type" in value && typeof value.type === "string" && "start" in value
  );
}

export function startOf(node: Node): number {
  return node.start ?? 0;
}

export function endOf(node: Node): number {
  return node.end ?? 0;
}

export function textOf(file: SourceFile, node: Node): string {
  return file.text.slice(startOf(node), endOf(node));
}

/** 1-based. */
export function lineOf(node: Node): number {
  return node.loc?.start.line ?? 1;
}

export function* ancestorsOf(file: SourceFile, node: Node): Generator<Node> {
  for (let above = file.parents.get(node); above; above = file.parents.get(above)) yield above;
}

export function isFunction(node: Node): node is FunctionSyntax {
  return (
    node.type === "FunctionDeclaration" ||
    node.type === "FunctionExpression" ||
    node.type === "ArrowFunctionExpression" ||
    node.type === "ObjectMethod" ||
    node.type === "ClassMethod" ||
    node.type === "ClassPrivateMethod"
  );
}

export function functionAround(file: SourceFile, node: Node): FunctionSyntax | undefined {
  for (const above of ancestorsOf(file, node)) if (isFunction(above)) return above;
  return undefined;
}

/** Without what only TypeScript and parentheses add. */
export function bare(node: Node): Node {
  switch (node.type) {
    case "TSAsExpression":
    case "TSSatisfiesExpression":
    case "TSNonNullExpression":
    case "TSTypeAssertion":
    case "ParenthesizedExpression":
      return bare(node.expression);
    default:
      return node;
  }
}

/** Name of a property or key that is written out; `undefined` where it is computed. */
export function keyOf(node: Node): string | undefined {
  if (node.type === "Identifier") return node.name;
  if (node.type === "StringLiteral") return node.value;
  if (node.type === "PrivateName") return node.id.name;
  return undefined;
}

/** `a.b.c` as its object and `["b", "c"]`. */
export function memberChain(node: Node): { readonly root: Node; readonly path: readonly string[] } {
  const path: string[] = [];
  let root = bare(node);
  while (root.type === "MemberExpression" || root.type === "OptionalMemberExpression") {
    const name = root.computed && root.property.type !== "StringLiteral" ? undefined : keyOf(root.property);
    if (name === undefined) break;
    path.unshift(name);
    root = bare(root.object);
  }
  return { root, path };
}

/** The value of a property of an object literal; `undefined` where it is not written out. */
export function propertyOf(node: Node | undefined, name: string): Node | undefined {
  if (node?.type !== "ObjectExpression") return undefined;
  for (const property of node.properties) {
    if (property.type === "ObjectProperty" && !property.computed && keyOf(property.key) === name) return property.value;
  }
  return undefined;
}
