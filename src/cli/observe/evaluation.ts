/** What happens when an expression is evaluated: whether it may be written twice, or moved. */
import { declarationOf } from "./origin.ts";
import { ancestorsOf, bare, childrenOf, isFunction, keyOf, type SourceFile, type SyntaxNode } from "./syntax.ts";

/** Calls that only read. */
const READING: ReadonlySet<string> = new Set([
  "join",
  "trim",
  "toString",
  "slice",
  "toFixed",
  "stringify",
  "toISOString",
]);

/**
 * The calls in an expression, each to be evaluated once and named where its value is needed twice; `undefined` where that
 * does not do: it assigns, or its calls depend on a condition.
 */
export function callsWithin(file: SourceFile, expression: SyntaxNode): readonly SyntaxNode[] | undefined {
  const node = bare(expression);
  switch (node.type) {
    case "CallExpression":
      if (node.callee.type === "MemberExpression" && READING.has(keyOf(node.callee.property) ?? ""))
        return every(file, [node.callee.object, ...node.arguments]);
      return [node];
    case "NewExpression":
    case "AwaitExpression":
    case "TaggedTemplateExpression":
      return [node];
    case "ConditionalExpression":
    case "LogicalExpression": {
      const calls = every(file, childrenOf(node));
      return calls?.length === 0 ? [] : undefined;
    }
    case "AssignmentExpression":
    case "UpdateExpression":
    case "YieldExpression":
    case "SequenceExpression":
    case "ArrowFunctionExpression":
    case "FunctionExpression":
    case "ObjectMethod":
    case "ClassExpression":
      return undefined;
    case "UnaryExpression":
      return node.operator === "delete" ? undefined : callsWithin(file, node.argument);
    default:
      return node.type.startsWith("TS") || node.type.startsWith("JSX") ? [] : every(file, childrenOf(node));
  }
}

function every(file: SourceFile, nodes: readonly SyntaxNode[]): readonly SyntaxNode[] | undefined {
  const all: SyntaxNode[] = [];
  for (const node of nodes) {
    const calls = callsWithin(file, node);
    if (!calls) return undefined;
    all.push(...calls);
  }
  return all;
}

/** Its value is the same whether it is read before or after an `await`. */
export function isSteady(file: SourceFile, expression: SyntaxNode): boolean {
  const node = bare(expression);
  if (isFunction(node) || node.type.endsWith("Literal"))
    return node.type !== "TemplateLiteral" || everySteady(file, node);
  if (node.type === "Identifier") return !file.assigned.has(node.name);
  if (node.type === "ThisExpression" || node.type === "Super" || node.type === "Import") return true;
  if (node.type === "TemplateElement") return true;
  return (node.type === "ArrayExpression" || node.type === "ObjectExpression") && everySteady(file, node);
}

function everySteady(file: SourceFile, node: SyntaxNode): boolean {
  return childrenOf(node).every((child) =>
    child.type === "ObjectProperty" ? isSteady(file, child.value) : isSteady(file, child),
  );
}

/** What is called is the same before and after: `JSON.parse`, `results.push`. */
export function isSteadyCallee(file: SourceFile, expression: SyntaxNode): boolean {
  const node = bare(expression);
  if (node.type !== "MemberExpression") return isSteady(file, node);
  return !node.computed && isSteadyCallee(file, node.object);
}

/**
 * `undefined` where `expression` is the first thing its statement does, always does, and may therefore be a statement of
 * its own before it; else the reason.
 */
export function whyNotFirst(file: SourceFile, expression: SyntaxNode, statement: SyntaxNode): string | undefined {
  let child = expression;
  for (const parent of ancestorsOf(file, expression)) {
    const why = whyNotFirstIn(file, parent, child);
    if (why !== undefined) return why;
    if (parent === statement) return undefined;
    child = parent;
  }
  return "it is in no statement";
}

const CONDITIONAL = "whether it happens depends on a condition within the statement";
const LATER = "the statement evaluates something else before it";

function whyNotFirstIn(file: SourceFile, parent: SyntaxNode, child: SyntaxNode): string | undefined {
  switch (parent.type) {
    case "LogicalExpression":
      return parent.left === child ? undefined : CONDITIONAL;
    case "ConditionalExpression":
    case "IfStatement":
      return parent.test === child ? undefined : CONDITIONAL;
    case "SwitchStatement":
      return parent.discriminant === child ? undefined : CONDITIONAL;
    case "ForOfStatement":
    case "ForInStatement":
      return parent.right === child ? undefined : CONDITIONAL;
    case "WhileStatement":
    case "DoWhileStatement":
    case "ForStatement":
      return "it is in the head of a loop";
    case "AssignmentExpression":
      if (parent.operator !== "=") return "the assignment reads its target before the call";
      return parent.left.type === "Identifier" || isSteadyCallee(file, parent.left) ? undefined : LATER;
    case "CallExpression":
    case "NewExpression":
    case "OptionalCallExpression":
      if (parent.callee === child) return undefined;
      if (!isSteadyCallee(file, parent.callee)) return LATER;
      return earlierSteady(file, parent, child, [parent.callee]) ? undefined : LATER;
    default:
      return earlierSteady(file, parent, child, []) ? undefined : LATER;
  }
}

function earlierSteady(
  file: SourceFile,
  parent: SyntaxNode,
  child: SyntaxNode,
  except: readonly SyntaxNode[],
): boolean {
  const children = childrenOf(parent);
  const isTarget = (node: SyntaxNode): boolean => parent.type === "VariableDeclarator" && parent.id === node;
  return children
    .slice(0, children.indexOf(child))
    .filter((node) => !except.includes(node) && !isTarget(node) && !node.type.startsWith("TS"))
    .every((node) => isSteady(file, node.type === "ObjectProperty" ? node.value : node));
}

/** A call of something that a package brings: a schema, a tool, a model handle. Its order among others does not matter. */
export function isFactory(file: SourceFile, expression: SyntaxNode): boolean {
  let node = bare(expression);
  while (true) {
    if (node.type === "CallExpression" || node.type === "NewExpression") node = bare(node.callee);
    else if (node.type === "MemberExpression") node = bare(node.object);
    else break;
  }
  if (node.type !== "Identifier") return false;
  const declared = declarationOf(file, node);
  return declared?.kind === "import" ? !declared.module.startsWith(".") : false;
}
