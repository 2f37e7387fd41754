/**
 * Finds the JSON in what a model wrote: bare, in a Markdown fence, among prose, after its reasoning. Fences count only
 * outside of the JSON found, so one inside a string is part of that string.
 */

import { endOfString } from "../depth.ts";
import type { Doubt } from "./doubt.ts";
import { scanLenient } from "./lenient-scan.ts";
import { StringEndFinder } from "./string-end.ts";
import { isBlank, matchesAt, NEXT_KEY, skipBlank } from "./text-at.ts";

export interface JsonCandidate {
  /** The part of the body, as the model wrote it. */
  readonly source: string;
  /** The same with its structure settled (see `lenient-scan.ts`); absent where it was not understood. */
  readonly settled: string | undefined;
  /** Where it stands in the body. */
  readonly start: number;
  readonly end: number;
  /** Directly behind the opening of a Markdown fence. */
  readonly fenced: boolean;
  /** The source can also be read otherwise. */
  readonly doubt: Doubt;
  /** False where the text stopped before everything was closed. */
  readonly completed: boolean;
}

/** How many times the length of the text may be scanned: brackets in prose that never close are tried to its end. */
const MAX_PASSES = 20;
const FENCE_OR_BRACKET = /```[\w+-]*|[{[]/g;
/** What may stand behind a bracket in prose for it to be JSON rather than a citation or a placeholder. */
const JSON_START =
  /(?!\{{2,3}\s*[\w$.-]+\s*\})[{[]\s*(?:["'“‘{[}\]]|-?\d|(?:true|false|null)\b|[A-Za-z_$][\w$-]*\s*:)/iy;
/** Escaped as a whole: each quote has a backslash. */
const ESCAPED = /^[{[]\s*\\"/;
const NUMBERS = /\[\s*-?\d/y;
const REASONING = /^\s*<(think|thinking|thought|reasoning|reflection)>[\s\S]*?<\/\1>/i;
const REASONING_START = /^\s*<(?:think|thinking|thought|reasoning|reflection)>/i;
const REASONING_END = /<\/(?:think|thinking|thought|reasoning|reflection)>/gi;

/** The answer behind the model's reasoning, where it wrote that into the text. Empty where reasoning is all there is. */
export function withoutReasoning(text: string): string {
  let body = text;
  for (let found = REASONING.exec(body); found; found = REASONING.exec(body)) body = body.slice(found[0].length);
  if (REASONING_START.test(body)) return "";
  if (/^\s*[{[]/.test(body)) return body;
  const ends = [...body.matchAll(REASONING_END)];
  const last = ends.at(-1);
  return last ? body.slice(last.index + last[0].length) : body;
}

/** Every object or array that stands on its own in `body`, in the order written. */
export function findJson(body: string): JsonCandidate[] {
  const finder = new StringEndFinder(body);
  const found: JsonCandidate[] = [];
  const from = skipBlank(body, 0);
  let fenceEnd = -1;
  let inFence = false;
  FENCE_OR_BRACKET.lastIndex = 0;
  let scanned = 0;
  for (let match = FENCE_OR_BRACKET.exec(body); match; match = FENCE_OR_BRACKET.exec(body)) {
    let start = match.index;
    if (match[0].startsWith("```")) {
      inFence = !inFence;
      fenceEnd = inFence ? skipBlank(body, start + match[0].length) : -1;
      if (body[fenceEnd] !== "(") continue;
      start = fenceEnd;
    } else if (body.startsWith("```", skipBlank(body, start + 1))) continue;
    const fenced = start === fenceEnd;
    if (!fenced && start !== from && !matchesAt(JSON_START, body, start)) continue;
    const candidate = candidateAt(body, start, fenced, finder);
    scanned += candidate.end - start;
    if (scanned > MAX_PASSES * body.length) break;
    // Half-open intervals, `[0, 1)`, are prose.
    if (!candidate.completed && !fenced && start !== from && matchesAt(NUMBERS, body, start)) continue;
    found.push(candidate);
    FENCE_OR_BRACKET.lastIndex = Math.max(candidate.end, start + 1);
  }
  return found;
}

function candidateAt(body: string, start: number, fenced: boolean, finder: StringEndFinder): JsonCandidate {
  const whole = strictEnd(body, start);
  if (whole !== undefined && !matchesAt(NEXT_KEY, body, whole)) {
    const source = body.slice(start, whole);
    if (isJson(source))
      return { source, settled: undefined, start, end: whole, fenced, doubt: "none", completed: true };
  }
  const scanned = scanLenient(body, start, finder);
  const end = scanned?.end ?? body.length;
  const source = body.slice(start, end);
  const completed = scanned?.completed ?? looksClosed(source);
  return {
    source,
    settled: scanned?.text,
    start,
    end,
    fenced,
    doubt: scanned?.doubt ?? (ESCAPED.test(source) ? "none" : "some"),
    completed,
  };
}

/** Index behind the bracket that closes the one at `start`, read as JSON proper. */
function strictEnd(body: string, start: number): number | undefined {
  let depth = 0;
  for (let at = start; at < body.length; at += 1) {
    const character = body[at];
    if (character === '"') at = endOfString(body, at);
    else if (character === "{" || character === "[") depth += 1;
    else if (character === "}" || character === "]") {
      depth -= 1;
      if (depth === 0) return at + 1;
    }
  }
  return undefined;
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

/** For text whose structure is not understood: does it end in the bracket that would close its first? */
function looksClosed(source: string): boolean {
  let last = source.length - 1;
  while (last > 0 && (isBlank(source.charCodeAt(last)) || "`;,.".includes(source[last] ?? "-"))) last -= 1;
  return source[last] === (source.startsWith("{") ? "}" : "]");
}
