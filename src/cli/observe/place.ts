/** Puts the recording of one call into its code, or says why it cannot be put there. */
import { indentAt } from "./code-style.ts";
import { type Edit, insert } from "./edits.ts";
import { whyNotFirst } from "./evaluation.ts";
import { placeStream } from "./place-stream.ts";
import {
  after,
  before,
  callEdits,
  isListed,
  notPlaced,
  outermost,
  type Placement,
  type Plan,
  placed,
  statementAround,
  whyNotWatched,
} from "./plan.ts";
import { recordLines, setupLines } from "./record-lines.ts";
import {
  ancestorsOf,
  endOf,
  type FunctionSyntax,
  functionAround,
  type SourceFile,
  type SyntaxNode,
  startOf,
  textOf,
} from "./syntax.ts";

export function placeCall(plan: Plan): Placement {
  const { file, call, delivery } = plan.site;
  const above = outermost(file, call);
  const parent = file.parents.get(above);
  const unwatched = whyNotWatched(plan.site);
  if (unwatched !== undefined) return notPlaced(unwatched);
  if (delivery !== "whole") return placeStream(plan, parent?.type === "AwaitExpression" ? parent : above);
  if (parent?.type === "AwaitExpression") return placeAwaited(plan, outermost(file, parent));
  if (parent?.type === "ArrowFunctionExpression" && parent.body === above) return placeArrow(plan, parent, above);
  const around = functionAround(file, call);
  if (parent?.type === "ReturnStatement" && around?.async && !isTried(file, call, around))
    return placeReturn(plan, parent, true);
  return notPlaced(notAwaited(parent));
}

function notAwaited(parent: SyntaxNode | undefined): string {
  if (parent?.type === "ReturnStatement")
    return "the promise is returned as it is, so its answer is seen only by the caller";
  if (parent?.type === "MemberExpression")
    return "its promise is used by a method (`.then`, `.withResponse`), not by `await`";
  if (parent?.type === "ArrayExpression") return "it is one of several promises that are awaited together";
  return "it is not awaited where it is made";
}

function isTried(file: SourceFile, node: SyntaxNode, around: FunctionSyntax): boolean {
  for (const above of ancestorsOf(file, node)) {
    if (above === around) return false;
    if (above.type === "TryStatement") return true;
  }
  return false;
}

function placeAwaited(plan: Plan, awaited: SyntaxNode): Placement {
  const { file } = plan.site;
  const statement = statementAround(file, awaited);
  if (!statement) return notPlaced("it is the value of a function without a body; give it one");
  const parent = file.parents.get(awaited);
  if (parent?.type === "ReturnStatement") return placeReturn(plan, parent, false);
  if (parent?.type === "VariableDeclarator" && isListed(file, statement))
    return placeDeclared(plan, parent, statement, awaited);
  const why = whyNotFirst(file, awaited, statement);
  if (why !== undefined) return notPlaced(why);
  if (!isListed(file, statement)) return notPlaced("its statement stands without a block, in the branch of another");
  const answer = plan.freshName(plan.site.answer);
  const lines = [...callLines(plan, answer, awaited), ...recordLines(plan, answer)];
  const replaced = parent?.type === "ExpressionStatement" ? "" : answer;
  if (replaced === "") return placeAround(plan, statement, insert(startOf(awaited), `const ${answer} = `), answer);
  return placed(plan, [before(plan, statement, lines), { ...parenthesized(file, awaited), text: answer }]);
}

/** `const answer = await call`, and `const { text } = await call`. */
function placeDeclared(plan: Plan, parent: SyntaxNode, statement: SyntaxNode, awaited: SyntaxNode): Placement {
  const { file } = plan.site;
  if (parent.type !== "VariableDeclarator") return notPlaced("it is not a declaration");
  const why = whyNotFirst(file, awaited, statement);
  if (why !== undefined) return notPlaced(why);
  if (parent.id.type === "Identifier") return placeAround(plan, statement, undefined, parent.id.name);
  const answer = plan.freshName(plan.site.answer);
  const pattern = textOf(file, parent.id);
  const declaration = file.parents.get(parent);
  const word = declaration?.type === "VariableDeclaration" ? declaration.kind : "const";
  const rename: Edit = { start: startOf(parent.id), end: endOf(parent.id), text: answer };
  return placeAround(plan, statement, rename, answer, [`${word} ${pattern} = ${answer}${plan.style.semicolon}`]);
}

/** Lines before and after a statement that keeps the call. */
function placeAround(
  plan: Plan,
  statement: SyntaxNode,
  within: Edit | undefined,
  answer: string,
  last: readonly string[] = [],
): Placement {
  const around = [
    before(plan, statement, setupLines(plan)),
    after(plan, statement, [...recordLines(plan, answer), ...last]),
  ];
  return placed(plan, [...around, ...(within ? [within] : []), ...callEdits(plan)]);
}

/** `return await call`, and `return call` where waiting for it first makes no difference. */
function placeReturn(plan: Plan, statement: SyntaxNode, adds: boolean): Placement {
  const { file, answer: wish } = plan.site;
  if (statement.type !== "ReturnStatement" || !statement.argument) return notPlaced("it is not returned");
  const answer = plan.freshName(wish);
  const { semicolon, indent } = plan.style;
  const keyword: Edit = {
    start: startOf(statement),
    end: startOf(statement.argument),
    text: `const ${answer} = ${adds ? "await " : ""}`,
  };
  const last = `return ${answer}${semicolon}`;
  if (isListed(file, statement)) return placeAround(plan, statement, keyword, answer, [last]);
  // The branch of an `if` becomes a block.
  const outer = indentAt(file, startOf(statement));
  const inner = outer + indent;
  const opened = ["{", ...setupLines(plan).map((line) => inner + line)].join("\n");
  const closed = [...recordLines(plan, answer), last].map((line) => inner + line).join("\n");
  return placed(plan, [
    insert(startOf(statement), `${opened}\n${inner}`),
    keyword,
    insert(endOf(statement), `\n${closed}\n${outer}}`),
    ...callEdits(plan),
  ]);
}

/** `() => call`: gets a body. */
function placeArrow(plan: Plan, arrow: SyntaxNode, body: SyntaxNode): Placement {
  const { file, answer: wish } = plan.site;
  if (arrow.type !== "ArrowFunctionExpression") return notPlaced("it is in no arrow function");
  if (arrow.returnType && !/^:\s*Promise</.test(textOf(file, arrow.returnType)))
    return notPlaced("its function answers the client's own kind of promise");
  const answer = plan.freshName(wish);
  const { semicolon, indent } = plan.style;
  const outer = indentAt(file, startOf(arrow));
  const opening = file.text.lastIndexOf("=>", startOf(body)) + 2;
  const ownLine = file.text.slice(opening, startOf(body)).includes("\n");
  const inner = ownLine ? indentAt(file, startOf(body)) : outer + indent;
  const head = [" {", ...setupLines(plan), `const ${answer} = await `].join(`\n${inner}`);
  const tail = [semicolon, ...recordLines(plan, answer), `return ${answer}${semicolon}`].join(`\n${inner}`);
  return placed(plan, [
    ...(arrow.async ? [] : [insert(startOf(arrow), "async ")]),
    { start: opening, end: startOf(body), text: head },
    insert(endOf(body), `${tail}\n${outer}}`),
    ...callEdits(plan),
  ]);
}

/** With the parentheses right around it, which the call's name does not need. */
function parenthesized({ text }: SourceFile, node: SyntaxNode): { readonly start: number; readonly end: number } {
  const [start, end] = [startOf(node), endOf(node)];
  if (node.extra?.["parenthesized"] !== true) return { start, end };
  const opening = text.lastIndexOf("(", start - 1);
  const closing = text.indexOf(")", end);
  return text.slice(opening + 1, start).trim() === "" && text.slice(end, closing).trim() === ""
    ? { start: opening, end: closing + 1 }
    : { start, end };
}

/** The call as lines of its own, before the statement that used it. */
function callLines(plan: Plan, answer: string, awaited: SyntaxNode): readonly string[] {
  const { file } = plan.site;
  let text = textOf(file, awaited);
  for (const { start, end, text: replacement } of callEdits(plan).toSorted((a, b) => b.start - a.start)) {
    const at = start - startOf(awaited);
    text = text.slice(0, at) + replacement + text.slice(at + end - start);
  }
  return [...setupLines(plan), `const ${answer} = ${text}${plan.style.semicolon}`];
}
