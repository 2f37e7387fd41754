/** What a call asks, as an expression that can be written a second time. */
import type { CallSite } from "./call-sites.ts";
import type { Edit } from "./edits.ts";
import { callsWithin, isFactory } from "./evaluation.ts";
import { childrenOf, endOf, isFunction, propertyOf, type SyntaxNode, startOf, textOf } from "./syntax.ts";

export interface Prompt {
  /** `undefined`: it has to be added by hand, for `why`. */
  readonly text: string | undefined;
  readonly why?: string;
  /** Parts that are computed once, before the call: `const <name> = <part>`. */
  readonly named: readonly { readonly name: string; readonly node: SyntaxNode }[];
  /** Functions of the seam that `text` uses. */
  readonly helpers: readonly string[];
}

const NONE = { named: [], helpers: [] } as const;

export function promptOf(site: CallSite, freshName: (wish: string) => string): Prompt {
  const [request] = site.call.arguments;
  if (!request || request.type === "ArgumentPlaceholder")
    return { ...NONE, text: undefined, why: "the call has no request" };
  if (request.type !== "ObjectExpression" || site.prompt.length === 0) {
    return expressionsOf(site, [{ key: undefined, value: request }], freshName);
  }
  const parts = site.prompt.flatMap((key) => {
    const value = propertyOf(request, key);
    return value ? [{ key, value }] : [];
  });
  if (parts.length > 0) return expressionsOf(site, parts, freshName);
  return { ...NONE, text: undefined, why: `the request names no ${site.prompt.join(", ")} where it is written` };
}

interface Part {
  readonly key: string | undefined;
  readonly value: SyntaxNode;
}

function expressionsOf(site: CallSite, parts: readonly Part[], freshName: (wish: string) => string): Prompt {
  const calls = parts.map(({ value }) => callsWithin(site.file, value));
  const flat = calls.flatMap((nodes) => nodes ?? []);
  if (calls.includes(undefined) || (flat.length > 0 && !mayMove(site, flat))) {
    return { ...NONE, text: undefined, why: "what is asked is computed within the call" };
  }
  const named = flat.map((node) => ({ name: freshName("prompt"), node }));
  const edits = named.map(({ name, node }) => ({ start: startOf(node), end: endOf(node), text: name }));
  const texts = parts.map(({ key, value }) => ({ key, text: textWith(site, value, edits) }));
  const [first] = texts;
  if (texts.length === 1 && first && first.key !== "system" && first.key !== "instructions") {
    return { text: first.text, named, helpers: [] };
  }
  const fields = texts.map(({ key, text }) => (key === text ? text : `${key}: ${text}`));
  return { text: `asked({ ${fields.join(", ")} })`, named, helpers: ["asked"] };
}

/** Named before the call, they are evaluated before the rest of it: so the rest must do nothing that could tell. */
function mayMove(site: CallSite, moved: readonly SyntaxNode[]): boolean {
  const rest = (node: SyntaxNode): boolean => {
    if (moved.includes(node) || isFunction(node)) return true;
    if (node === site.call) return childrenOf(node).every(rest);
    if (node.type === "CallExpression" || node.type === "NewExpression") return isFactory(site.file, node);
    if (node.type === "AwaitExpression" || node.type === "AssignmentExpression" || node.type === "UpdateExpression")
      return false;
    return childrenOf(node).every(rest);
  };
  return rest(site.call);
}

function textWith(site: CallSite, node: SyntaxNode, edits: readonly Edit[]): string {
  const start = startOf(node);
  let text = "";
  let at = start;
  for (const edit of edits) {
    if (edit.start < start || edit.end > endOf(node)) continue;
    text += site.file.text.slice(at, edit.start) + edit.text;
    at = edit.end;
  }
  return at === start ? textOf(site.file, node) : text + site.file.text.slice(at, endOf(node));
}
