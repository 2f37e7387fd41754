/** Puts the recording of a streamed call behind the loop that reads it. */

import { indentAt } from "./code-style.ts";
import { insert } from "./edits.ts";
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
} from "./plan.ts";
import { recordLines, setupLines } from "./record-lines.ts";
import {
  endOf,
  isFunction,
  memberChain,
  type NodeOf,
  type SourceFile,
  type SyntaxNode,
  startOf,
  walk,
} from "./syntax.ts";

export function placeStream(plan: Plan, expression: SyntaxNode): Placement {
  const { file, delivery } = plan.site;
  const whole = outermost(file, expression);
  const parent = file.parents.get(whole);
  const statement = statementAround(file, whole);
  if (!statement || !isListed(file, statement)) return notPlaced(HANDED_ON);
  if (parent?.type === "ForOfStatement" && parent.await && parent.right === whole)
    return delivery === "events"
      ? placeLoop(plan, parent, parent)
      : notPlaced("its stream object has no name; give it one");
  if (parent?.type !== "VariableDeclarator" || parent.id.type !== "Identifier") return notPlaced(HANDED_ON);
  const { name } = parent.id;
  if (typeof delivery === "object") return placeFinal(plan, statement, name, delivery.final);
  const loop = loopOver(file, statement, name);
  if (!loop || !isListed(file, loop)) return notPlaced(HANDED_ON);
  return delivery === "promises" ? placePromises(plan, statement, loop, name) : placeLoop(plan, statement, loop);
}

const HANDED_ON = "its stream is read elsewhere, not by a `for await` beside it";

/** Every event passes the collector first. */
function placeLoop(plan: Plan, statement: SyntaxNode, loop: NodeOf<"ForOfStatement">): Placement {
  const { file, client, method, usageAsked } = plan.site;
  const { left, body } = loop;
  const [item] = left.type === "VariableDeclaration" ? left.declarations : [];
  if (item?.id.type !== "Identifier") return notPlaced("its loop gives the events no single name");
  const inner = indentAt(file, startOf(loop)) + plan.style.indent;
  const line = `\n${inner}${plan.seen}.add(${item.id.name})${plan.style.semicolon}`;
  const collect =
    body.type === "BlockStatement"
      ? [insert(startOf(body) + 1, line)]
      : [insert(startOf(body), `{${line}\n${inner}`), insert(endOf(body), `\n${indentAt(file, startOf(loop))}}`)];
  const asks = client === "OpenAI SDK" && method.startsWith("chat.") && !usageAsked;
  return placed(
    plan,
    [
      before(plan, statement, setupLines(plan)),
      ...collect,
      ...callEdits(plan),
      after(plan, loop, recordLines(plan, "")),
    ],
    [...(asks ? [NO_USAGE] : []), ...leaves(loop)],
  );
}

const NO_USAGE =
  "The last chunk of this stream holds the usage only where the request asks for it: add `stream_options: { include_usage: true }`. " +
  "The diff does not, since it would change what is sent; without it the call has no cost.";

function placePromises(plan: Plan, statement: SyntaxNode, loop: NodeOf<"ForOfStatement">, name: string): Placement {
  const edits = [
    before(plan, statement, setupLines(plan)),
    ...callEdits(plan),
    after(plan, loop, recordLines(plan, name)),
  ];
  return placed(plan, edits, leaves(loop));
}

/** After `await stream.finalMessage()`, or after the loop, when that is known at once. */
function placeFinal(plan: Plan, statement: SyntaxNode, name: string, method: string): Placement {
  const { file } = plan.site;
  const final = finalOf(file, statement, name, method);
  const setup = [before(plan, statement, setupLines(plan)), ...callEdits(plan)];
  if (final) return placed(plan, [...setup, after(plan, final.statement, recordLines(plan, final.name))]);
  const loop = loopOver(file, statement, name);
  if (!loop || !isListed(file, loop))
    return notPlaced(`neither a \`for await\` over it nor \`await ${name}.${method}()\` stands beside it`);
  const answer = plan.freshName(plan.site.answer);
  const read = `const ${answer} = await ${name}.${method}()${plan.style.semicolon}`;
  return placed(plan, [...setup, after(plan, loop, [read, ...recordLines(plan, answer)])], leaves(loop));
}

function finalOf(file: SourceFile, statement: SyntaxNode, name: string, method: string) {
  for (const sibling of siblingsAfter(file, statement)) {
    if (sibling.type !== "VariableDeclaration") continue;
    const [only] = sibling.declarations;
    if (only?.id.type !== "Identifier" || only.init?.type !== "AwaitExpression") continue;
    const call = only.init.argument;
    if (call.type !== "CallExpression") continue;
    const { root, path } = memberChain(call.callee);
    if (root.type === "Identifier" && root.name === name && path.join(".") === method)
      return { statement: sibling, name: only.id.name };
  }
  return undefined;
}

function loopOver(file: SourceFile, statement: SyntaxNode, name: string): NodeOf<"ForOfStatement"> | undefined {
  for (const sibling of siblingsAfter(file, statement)) {
    if (sibling.type !== "ForOfStatement" || !sibling.await) continue;
    const { root } = memberChain(sibling.right);
    if (root.type === "Identifier" && root.name === name) return sibling;
  }
  return undefined;
}

function siblingsAfter(file: SourceFile, statement: SyntaxNode): readonly SyntaxNode[] {
  const parent = file.parents.get(statement);
  const list =
    parent?.type === "BlockStatement" || parent?.type === "Program"
      ? parent.body
      : parent?.type === "SwitchCase"
        ? parent.consequent
        : [];
  return list.filter((one) => startOf(one) > startOf(statement));
}

/** Ways out of the loop that pass the record by. */
function leaves(loop: NodeOf<"ForOfStatement">): readonly string[] {
  let out = false;
  walk(loop.body, (node) => {
    if (isFunction(node)) return false;
    if (node.type === "ReturnStatement" || node.type === "YieldExpression") out = true;
    return undefined;
  });
  return out ? ["Where its reader leaves the loop early, the call is not recorded."] : [];
}
