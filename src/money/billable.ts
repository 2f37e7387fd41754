import type { Usage } from "./usage.ts";

/**
 * Input tokens as they are billed: `uncached`, `cacheRead`, `cacheWrite5m` and `cacheWrite1h` exclude one another.
 * Media counts may overlap them, because only Gemini reports how much of an image was cached.
 */
export interface BillableInput {
  readonly uncached: number;
  readonly cacheRead: number;
  readonly cacheWrite5m: number;
  readonly cacheWrite1h: number;
  readonly audio: number;
  readonly image: number;
  readonly video: number;
  readonly cachedAudio: number;
}

/** Output tokens as they are billed; the parts lie within `total`. */
export interface BillableOutput {
  readonly total: number;
  readonly reasoning: number;
  readonly audio: number;
  readonly image: number;
  readonly citation: number;
}

/**
 * Returns the billable input counts. Where reported counts contradict each other, the reading with more tokens is used:
 * a part larger than its total means that the total excludes it (as in Anthropic's cache counts), and both are billed.
 * Returns `undefined` when the number of prompt tokens is unknown.
 */
export function billableInput(input: Usage["input"]): BillableInput | undefined {
  const cachedAudio = count(input.cacheReadAudio) ?? 0;
  const cacheRead = Math.max(count(input.cacheRead) ?? 0, cachedAudio);
  const cacheWrite1h = count(input.cacheWrite1h) ?? 0;
  const cacheWrite = Math.max(count(input.cacheWrite) ?? 0, cacheWrite1h);
  const total = count(input.total);
  const reported = count(input.uncached);
  if (total === undefined && reported === undefined) return undefined;
  const cached = cacheRead + cacheWrite;
  const remainder = total === undefined ? 0 : cached > total ? total : total - cached;
  const audio = Math.max(count(input.audio) ?? 0, cachedAudio);
  const image = count(input.image) ?? 0;
  const video = count(input.video) ?? 0;
  const uncached = withLeftOut(Math.max(remainder, reported ?? 0), cached, [audio, image, video]);
  return {
    uncached,
    cacheRead,
    cacheWrite5m: cacheWrite - cacheWrite1h,
    cacheWrite1h,
    audio,
    image,
    video,
    // Audio beyond the uncached tokens must have been cached.
    cachedAudio: Math.min(cacheRead, Math.max(cachedAudio, audio - uncached)),
  };
}

/**
 * Returns the billable output counts, by the same rule. Returns `undefined` when the number of answer tokens is
 * unknown.
 */
export function billableOutput(output: Usage["output"]): BillableOutput | undefined {
  const reasoning = count(output.reasoning) ?? 0;
  const audio = count(output.audio) ?? 0;
  const image = count(output.image) ?? 0;
  const citation = count(output.citation) ?? 0;
  const parts = [reasoning, audio, image, citation];
  const text = count(output.text);
  const total = count(output.total) ?? (text === undefined ? undefined : parts.reduce((sum, part) => sum + part, text));
  if (total === undefined) return undefined;
  return { total: withLeftOut(total, 0, parts), reasoning, audio, image, citation };
}

/** Returns the tokens that select the long-context rate: the whole prompt, cache reads and writes included. */
export function promptTokens(input: BillableInput): number {
  return input.uncached + input.cacheRead + input.cacheWrite5m + input.cacheWrite1h;
}

function withLeftOut(own: number, beside: number, parts: readonly number[]): number {
  let tokens = own;
  for (const part of parts) if (part > tokens + beside) tokens += part;
  return tokens;
}

/** Returns a usable count, or undefined: some upstreams send -1, NaN or fractions. */
function count(value: number | undefined): number | undefined {
  if (value === undefined || !Number.isFinite(value) || value < 0) return undefined;
  return Math.ceil(value);
}
