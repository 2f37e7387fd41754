/**
 * Finds the JSON in what a model wrote: bare, in a Markdown fence, among prose, after its reasoning. Fences count only
 * outside of the JSON found, so one inside a string is part of that string.
 */

import { scanLenient } from "./lenient-scan.ts";
import { StringEndFinder } from "./string-end.ts";
import { isBlank, matchesAt, skipBlank } from "./text-at.ts";

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
  /** False where the text stopped before everything was closed. */
  readonly completed: boolean;
}

const MAX_CANDIDATES = 100;
const FENCE_OR_BRACKET = /```[\w+-]*|[{[]/g;
/** What may stand behind a bracket in prose for it to be JSON rather than a citation or a placeholder. */
const JSON_START = /[{[]\s*(?:["'“‘{[}\]]|-?\d|(?:true|false|null)\b|[A-Za-z_$][\w$-]*\s*:)/iy;
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
  FENCE_OR_BRACKET.lastIndex = 0;
  for (
    let match = FENCE_OR_BRACKET.exec(body);
    match && found.length < MAX_CANDIDATES;
    match = FENCE_OR_BRACKET.exec(body)
  ) {
    let start = match.index;
    if (match[0].startsWith("```")) {
      fenceEnd = skipBlank(body, start + match[0].length);
      if (body[fenceEnd] !== "(") continue;
      start = fenceEnd;
    } else if (body.startsWith("```", skipBlank(body, start + 1))) continue;
    const fenced = start === fenceEnd;
    if (!fenced && start !== from && !matchesAt(JSON_START, body, start)) continue;
    const candidate = candidateAt(body, start, fenced, finder);
    // Half-open intervals, `[0, 1)`, are prose.
    if (!candidate.completed && !fenced && start !== from && matchesAt(NUMBERS, body, start)) continue;
    found.push(candidate);
    FENCE_OR_BRACKET.lastIndex = Math.max(candidate.end, start + 1);
  }
  return found;
}

function candidateAt(body: string, start: number, fenced: boolean, finder: StringEndFinder): JsonCandidate {
  const scanned = scanLenient(body, start, finder);
  const end = scanned?.end ?? body.length;
  const source = body.slice(start, end);
  const completed = scanned?.completed ?? looksClosed(source);
  return { source, settled: scanned?.text, start, end, fenced, completed };
}

/** For text whose structure is not understood: does it end in the bracket that would close its first? */
function looksClosed(source: string): boolean {
  let last = source.length - 1;
  while (last > 0 && (isBlank(source.charCodeAt(last)) || "`;,.".includes(source[last] ?? "-"))) last -= 1;
  return source[last] === (source.startsWith("{") ? "}" : "]");
}
