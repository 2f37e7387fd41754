/**
 * The free, local repair of a model's answer into JSON. Built on `jsonrepair`; what comes before it settles the structure
 * where that library reads broken text otherwise than meant. Valid JSON is never touched: numbers, order, spacing stay.
 */
import { jsonrepair } from "jsonrepair";
import { err, ok, type Result } from "../../failure/failure.ts";
import { compileSchema } from "../schema/validate.ts";
import { findJson, type JsonCandidate, withoutReasoning } from "./extract.ts";
import { escapeContent } from "./lenient-tokens.ts";
import { type NearReading, nearReadings, onlyCloses } from "./near-readings.ts";
import { repairScalar } from "./repair-scalar.ts";
import { skipBlank } from "./text-at.ts";

interface RepairedJson {
  /** The text as parsed by `JSON.parse`; integers above 2^53 are exact only in `text`. */
  readonly value: unknown;
  readonly text: string;
  /** False where the text was JSON as it came. */
  readonly changed: boolean;
  /** False where the answer was cut: what is missing cannot be known, so it must not count as conformant. */
  readonly completed: boolean;
}

interface RepairFault {
  readonly reason: "unparseable" | "empty";
  /** For people; quotes nothing of the text. */
  readonly message: string;
}

interface RepairOptions {
  /** Decides between readings: the first one that conforms is taken. Repair never bends a value to fit it. */
  readonly schema?: unknown;
}

/** The library's time on text that it has to settle by itself grows with the square of the length. */
const MAX_UNSETTLED = 65_536;
/** Above this an answer is not repaired: the time it takes must stay far below what a request may take. */
const MAX_LENGTH = 2_000_000;

const FENCES = /^```[\w+-]*\s*|\s*```$/g;
const MEMBER_BEFORE = /"\s*[:,]\s*$/;
const CLOSED_TWICE = /[}\]]\s*[}\]]\s*,/;
const MEMBERS_BEHIND = /^[^{["]*"\s*,\s*"[^"{[]*"\s*:/;
const MEMBER_AFTER = /^[,:]\s*["{[\d]/;

type Accepts = ((value: unknown) => boolean) | undefined;

/** Repairs an answer to JSON. Never throws. Without a schema several documents side by side are an error. */
export function repairJson(text: string, options: RepairOptions = {}): Result<RepairedJson, RepairFault> {
  const strict = parse(text);
  if (strict) return ok({ ...strict, changed: false, completed: true });
  if (text.trim() === "") return err({ reason: "empty", message: "the answer is empty" });
  if (text.length > MAX_LENGTH) return err({ reason: "unparseable", message: `longer than ${MAX_LENGTH} characters` });
  const body = withoutReasoning(text).trim();
  if (body === "") return err({ reason: "unparseable", message: "the answer holds reasoning and nothing after it" });
  const accepts = acceptor(options.schema);
  const candidates = findJson(body);
  const quoted = candidates[0] && isInString(body, candidates[0].start) ? quotedText(body) : undefined;
  if (quoted && (!accepts || accepts(quoted.value))) return ok({ ...quoted, changed: true });
  const repaired =
    candidates.length > 0 ? repairCandidates(body, candidates, accepts) : repairScalar(body, options.schema);
  const near = candidates.length > 0 && repaired?.completed !== false ? nearReadings(body.replace(FENCES, "")) : [];
  if (repaired === undefined) {
    const [only, ...others] = near;
    const reading =
      only !== undefined && others.length === 0 && onlyCloses(only.text, body) ? parse(only.text) : undefined;
    if (reading && (!accepts || accepts(reading.value))) return ok({ ...reading, changed: true, completed: true });
    return err({ reason: "unparseable", message: "no JSON that could be repaired was found" });
  }
  const settled = settle(repaired, near, accepts);
  if (settled === undefined) return err({ reason: "unparseable", message: "it can be read in more than one way" });
  return ok({ ...settled, changed: true });
}

/** The reading, unless the text is as near to another one: then the one of them that the schema accepts. */
function settle(repaired: Reading, near: readonly NearReading[], accepts: Accepts): Reading | undefined {
  const own = JSON.stringify(repaired.value);
  const others = near.filter(({ canonical }) => canonical !== own).flatMap(({ text }) => parse(text) ?? []);
  if (others.length === 0) return repaired;
  const fitting = accepts ? [repaired, ...others].filter(({ value }) => accepts(value)) : [];
  return fitting.length === 1 && fitting[0] ? { ...fitting[0], completed: true } : undefined;
}

/** A string as the whole answer, with quotes in it that are not escaped; `undefined` where it may be members of an object. */
function quotedText(body: string): Reading | undefined {
  if (body.length < 2 || !body.startsWith('"') || !body.endsWith('"') || /"\s*[:,]/.test(body)) return undefined;
  const reading = parse(`"${escapeContent(body.slice(1, -1))}"`);
  return reading && { ...reading, completed: true };
}

interface Reading {
  readonly value: unknown;
  readonly text: string;
  readonly completed: boolean;
}

function repairCandidates(body: string, candidates: readonly JsonCandidate[], accepts: Accepts): Reading | undefined {
  const cut = candidates.findLast(({ completed }) => !completed);
  // A cut document is the answer that was being written; one written out before it was an example.
  if (cut) return choose(readings(cut, accepts), accepts);
  if (candidates.length > 1 && isSequence(body, candidates)) {
    const fitting = accepts && firstFitting(candidates, accepts);
    return fitting ?? asList(body, candidates, accepts);
  }
  const ranked = candidates.filter((candidate) => candidate.fenced || !isTornOut(body, candidate)).sort(byRank);
  if (!accepts && ranked.length < candidates.length) return undefined;
  if (accepts) {
    const fitting =
      firstFitting(ranked, accepts) ?? (candidates.length > 1 ? asList(body, candidates, accepts) : undefined);
    if (fitting && accepts(fitting.value)) return fitting;
  }
  for (const candidate of ranked) {
    const reading = choose(readings(candidate, accepts), accepts);
    // Not a smaller one instead: it may be a part of what could not be read.
    if (reading || candidate.doubt !== "none") return reading;
  }
  return undefined;
}

/** What stands directly around it belongs to a document too, of which only this part was understood. */
function isTornOut(body: string, { start, end, source }: JsonCandidate): boolean {
  if (body.startsWith('"') && isInString(body, start)) return true;
  let after = skipBlank(body, end);
  // With a bracket too many at its end, one inside it may have closed too much.
  if ("}]".includes(body[after] ?? "-") && CLOSED_TWICE.test(source)) return true;
  while ("}]".includes(body[after] ?? "-")) after = skipBlank(body, after + 1);
  if (isRestOfString(body.slice(end).trimEnd())) return true;
  return (
    MEMBER_BEFORE.test(body.slice(Math.max(0, start - 100), start)) || MEMBER_AFTER.test(body.slice(after, after + 100))
  );
}

/** Members, or quotes and a bracket at the end that nothing opens: a string of the document went on, and this was in it. */
function isRestOfString(tail: string): boolean {
  if (!/[}\]]$/.test(tail)) return false;
  return MEMBERS_BEHIND.test(tail) || (tail.includes('"') && !/[{[]/.test(tail));
}

/** Whether a quote of the text before `at` is open there. */
function isInString(text: string, at: number): boolean {
  return (
    (text
      .slice(0, at)
      .replace(/\\[\s\S]/g, "")
      .split('"').length -
      1) %
      2 ===
    1
  );
}

/** A fenced document before one in prose, then the longest, then the first. */
function byRank(first: JsonCandidate, second: JsonCandidate): number {
  return Number(second.fenced) - Number(first.fenced) || second.source.length - first.source.length;
}

function firstFitting(candidates: readonly JsonCandidate[], accepts: (value: unknown) => boolean): Reading | undefined {
  for (const candidate of candidates) {
    for (const reading of readings(candidate, accepts)) if (accepts(reading.value)) return reading;
  }
  return undefined;
}

/** Nothing but white space, separators and comments between and around the documents: lines of JSON, say. */
function isSequence(body: string, candidates: readonly JsonCandidate[]): boolean {
  const gaps = candidates.map(({ start }, index) => body.slice(candidates[index - 1]?.end ?? 0, start));
  return [...gaps, body.slice(candidates.at(-1)?.end)].every(isSeparator);
}

function isSeparator(gap: string): boolean {
  let at = skipBlank(gap, 0);
  while (at < gap.length && ",;]}".includes(gap[at] ?? "-")) at = skipBlank(gap, at + 1);
  return at >= gap.length;
}

/** All documents as one list; without a schema only where the library reads them so, as it does lines of JSON. */
function asList(body: string, candidates: readonly JsonCandidate[], accepts: Accepts): Reading | undefined {
  if (!accepts) return parseRepaired(body, true);
  const texts = candidates.map((candidate) => choose(readings(candidate, undefined), undefined)?.text);
  const reading = texts.includes(undefined) ? undefined : parse(`[${texts.join(",")}]`);
  return reading ? { ...reading, completed: true } : undefined;
}

function choose(from: Iterable<Reading>, accepts: Accepts): Reading | undefined {
  let first: Reading | undefined;
  for (const reading of from) {
    if (!accepts || accepts(reading.value)) return reading;
    first ??= reading;
  }
  return first;
}

/** What a document may say, the likeliest first. */
function readings({ source, settled, doubt, completed }: JsonCandidate, accepts: Accepts): Reading[] {
  const all = [...allReadings({ source, settled, completed })];
  if (doubt === "none" || !completed) return all;
  const distinct = new Set(all.map(({ value }) => JSON.stringify(value)));
  if (doubt === "some" && all.length > 1 && distinct.size === 1) return all;
  const fitting = accepts && distinct.size > 1 ? all.filter(({ value }) => accepts(value)) : [];
  return fitting.length === 1 ? fitting : [];
}

function* allReadings({
  source,
  settled,
  completed,
}: Pick<JsonCandidate, "source" | "settled" | "completed">): Generator<Reading> {
  const strict = parse(source);
  if (strict) {
    yield { ...strict, completed };
    return;
  }
  const texts = settled === undefined ? [source] : [settled, ...(source.length <= MAX_UNSETTLED ? [source] : [])];
  for (const text of texts) {
    const reading = parseRepaired(text, completed);
    if (reading) yield reading;
  }
}

function parseRepaired(text: string, completed: boolean): Reading | undefined {
  try {
    const reading = parse(jsonrepair(text).trim());
    return reading && { ...reading, completed };
  } catch {
    // The library throws its own error on what it cannot repair, and RangeError on nesting beyond the stack.
    return undefined;
  }
}

function parse(text: string): { readonly value: unknown; readonly text: string } | undefined {
  try {
    return { value: JSON.parse(text) as unknown, text };
  } catch {
    return undefined;
  }
}

function acceptor(schema: unknown): Accepts {
  const validator = schema === undefined ? undefined : compileSchema(schema);
  return validator?.ok ? (value) => validator.value(value).valid : undefined;
}
