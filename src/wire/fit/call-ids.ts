/** Ids of tool calls in the form that one upstream takes. The client keeps its own: only this request is changed. */
import type { CallIdRule } from "../dialect.ts";
import { shortDigest } from "./short-digest.ts";

const ALPHABETS = { alphanumeric: /^[A-Za-z0-9]+$/, word: /^[A-Za-z0-9_-]+$/ } as const;

/**
 * Returns the id to send for an id of the history: itself where the rule allows it, else one made from it, so that a call
 * and its result agree, and the same history gives the same ids (and the same cached prompt) every time.
 */
export function callIdsUnder(rule: CallIdRule | undefined): (id: string) => string {
  if (rule === undefined) return (id) => id;
  const made = new Map<string, string>();
  const used = new Set<string>();
  return (id) => {
    const known = made.get(id);
    if (known !== undefined) return known;
    let sent = allowed(id, rule) ? id : newId(id, rule);
    for (let salt = 1; used.has(sent); salt += 1) sent = newId(`${salt}:${id}`, rule);
    made.set(id, sent);
    used.add(sent);
    return sent;
  };
}

function allowed(id: string, { alphabet, exact, most }: CallIdRule): boolean {
  if (alphabet !== undefined && !ALPHABETS[alphabet].test(id)) return false;
  return id !== "" && (exact === undefined || id.length === exact) && (most === undefined || id.length <= most);
}

function newId(id: string, { alphabet, exact }: CallIdRule): string {
  const digest = shortDigest(id) + shortDigest(`${id}.`);
  if (exact !== undefined) return digest.padEnd(exact, "0").slice(-exact);
  return alphabet === "alphanumeric" ? `call${digest}` : `call_${digest}`;
}
