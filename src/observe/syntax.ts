/** JavaScript and TypeScript, parsed: nodes with positions, their parents, and the names that are taken. */
import { parse } from "@babel/parser";
import type { Node } from "@babel/types";

export type SyntaxNode = Node;
export type NodeOf<Type extends Node["type"]> = Extract<Node, { type: Type }>;

export interface SourceFile {
  /** Relative to the project, with `/`. */
  readonly path: string;
  readonly text: string;
  readonly program: NodeOf<"Program">;
  readonly parents: ReadonlyMap<Node, Node>;
  /** Every identifier of the file. */
  readonly names: ReadonlySet<string>;
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
  walk(program, (node, parent) => {
    if (parent) parents.set(node, parent);
    if (node.type === "Identifier") names.add(node.name);
  });
  return { path, text, program, parents, names };
}

/** Visits a node and all below it, outermost first, in the order of the text. */
export function walk(node: Node, visit: (node: Node, parent: Node | undefined) => void, parent?: Node): void {
  visit(node, parent);
  for (const child of childrenOf(node)) walk(child, visit, node);
}

const NOT_CHILDREN: ReadonlySet<string> = new Set([
  "leadingComments",
  "trailingComments",
  "innerComments",
  "loc",
  "extra",
]);

function childrenOf(node: Node): readonly Node[] {
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

/** 1-based. */
export function lineOf(node: Node): number {
  return node.loc?.start.line ?? 1;
}

/** Name of a property or key that is written out; `undefined` where it is computed. */
export function keyOf(node: Node): string | undefined {
  if (node.type === "Identifier") return node.name;
  return node.type === "StringLiteral" ? node.value : undefined;
}

/** `a.b.c` as its object and `["b", "c"]`. */
export function memberChain(node: Node): { readonly root: Node; readonly path: readonly string[] } {
  const path: string[] = [];
  let root = node;
  while (root.type === "MemberExpression" && !root.computed) {
    path.unshift(keyOf(root.property) ?? "");
    root = root.object;
  }
  return { root, path };
}
