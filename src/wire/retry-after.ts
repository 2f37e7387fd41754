/**
 * Returns how long an upstream asks clients to wait. Retry-After is RFC 9110 section 10.2.3: whole seconds, or one of
 * the three HTTP-date forms of section 5.6.7.
 */

/** A longer wait is cut to this: a wrong clock or a date in another century must not lock a provider out for good. */
export const MAX_RETRY_AFTER_MS = 3_600_000;

const MONTHS = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"];
const UNIT_MS: Readonly<Record<string, number>> = { ms: 1, s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000 };

/**
 * Milliseconds to wait, from 0 to the cap, or undefined where the headers do not say. `now` is epoch milliseconds.
 * `retry-after-ms` and `retry-after` win; else the reset of a rate limit that is used up.
 */
export function retryAfterMs(headers: Headers, now: number): number | undefined {
  const millis = finite(headers.get("retry-after-ms"));
  if (millis !== undefined) return bounded(millis);
  const stated = headers.get("retry-after")?.trim();
  if (stated) {
    const seconds = finite(stated);
    if (seconds !== undefined) return bounded(seconds * 1000);
    const date = httpDate(stated, now);
    if (date !== undefined) return bounded(date - now);
  }
  return usedUpLimits(headers, now);
}

/** A length of time as providers write it (`34.4s`, `6m0s`, `120ms`, `1h2m`), in milliseconds, uncapped. */
export function durationMs(text: string): number | undefined {
  if (!/^(?:\d+(?:\.\d+)?(?:ms|[smhd]))+$/.test(text)) return undefined;
  let total = 0;
  for (const [, amount, unit] of text.matchAll(/(\d+(?:\.\d+)?)(ms|[smhd])/g)) {
    total += Number(amount) * (UNIT_MS[unit ?? ""] ?? 0);
  }
  return Math.ceil(total);
}

export function bounded(milliseconds: number): number {
  return Math.min(MAX_RETRY_AFTER_MS, Math.max(0, Math.ceil(milliseconds)));
}

/** `x-ratelimit-reset-tokens`, `x-ratelimit-reset`, `anthropic-ratelimit-requests-reset`. */
const RESET = /^(?:x-ratelimit-reset(-[\w-]+)?|anthropic-ratelimit-([\w-]+)-reset)$/;

/** The longest reset among limits that are at zero, or that do not say how much is left. */
function usedUpLimits(headers: Headers, now: number): number | undefined {
  let longest: number | undefined;
  headers.forEach((value, name) => {
    const match = RESET.exec(name);
    if (!match) return;
    const [, suffix = "", anthropic] = match;
    const remaining = headers.get(
      anthropic === undefined ? `x-ratelimit-remaining${suffix}` : `anthropic-ratelimit-${anthropic}-remaining`,
    );
    // Azure sends -1 for a limit it does not know; a limit with room left is not the one that was hit.
    if (remaining !== null && Number(remaining) !== 0) return;
    const wait = resetMs(value.trim(), now);
    if (wait !== undefined) longest = Math.max(longest ?? 0, bounded(wait));
  });
  return longest;
}

/** A reset as a duration, an instant or plain seconds. Numbers of zero and below mean "unknown". */
function resetMs(text: string, now: number): number | undefined {
  const amount = finite(text);
  if (amount !== undefined) {
    if (amount <= 0) return undefined;
    if (amount >= 1e11) return amount - now;
    return amount >= 1e9 ? amount * 1000 - now : amount * 1000;
  }
  const duration = durationMs(text);
  if (duration !== undefined) return duration;
  const instant = /^\d{4}-\d\d-\d\dT/.test(text) ? Date.parse(text) : Number.NaN;
  return Number.isNaN(instant) ? undefined : instant - now;
}

/** IMF-fixdate, RFC 850 and asctime dates, all in GMT. Engines differ on the last two, so they are read here. */
function httpDate(text: string, now: number): number | undefined {
  const fixed = /^\w{3}, (\d{2}) (\w{3}) (\d{4}) (\d{2}):(\d{2}):(\d{2}) GMT$/.exec(text);
  if (fixed) return epoch(fixed[3], fixed[2], fixed[1], fixed.slice(4));
  const rfc850 = /^\w{6,9}, (\d{2})-(\w{3})-(\d{2}) (\d{2}):(\d{2}):(\d{2}) GMT$/.exec(text);
  if (rfc850) return epoch(fullYear(Number(rfc850[3]), now), rfc850[2], rfc850[1], rfc850.slice(4));
  const asctime = /^\w{3} (\w{3}) ([ \d]\d) (\d{2}):(\d{2}):(\d{2}) (\d{4})$/.exec(text);
  if (asctime) return epoch(asctime[6], asctime[1], asctime[2], asctime.slice(3, 6));
  return undefined;
}

function epoch(
  year: string | number | undefined,
  month: string | undefined,
  day: string | undefined,
  time: readonly (string | undefined)[],
): number | undefined {
  const monthIndex = MONTHS.indexOf(month ?? "");
  if (monthIndex < 0) return undefined;
  const [hours, minutes, seconds] = time.map(Number);
  return Date.UTC(Number(year), monthIndex, Number(day), hours ?? 0, minutes ?? 0, seconds ?? 0);
}

/** A two-digit year that seems more than 50 years ahead is the most recent past year with these digits (RFC 9110). */
function fullYear(twoDigits: number, now: number): number {
  const current = new Date(now).getUTCFullYear();
  const year = current - (current % 100) + twoDigits;
  return year > current + 50 ? year - 100 : year;
}

function finite(text: string | null): number | undefined {
  if (text === null || text.trim() === "") return undefined;
  const value = Number(text);
  return Number.isFinite(value) ? value : undefined;
}
