import type { Failure } from "./failure.ts";

/** Longest upstream message that is kept, in UTF-16 units. */
export const MAX_MESSAGE_LENGTH = 500;

const HIDDEN = "[redacted]";

/** Patterns of keys and tokens with the words before them. `$1` keeps those words. */
const SECRETS: readonly (readonly [RegExp, string])[] = [
  [/\b(bearer(?:\s|%20|\+)+)[\w.~+/*=-]{6,}/gi, `$1${HIDDEN}`],
  [/\b(basic\s+)[a-z0-9+/]{16,}={0,2}/gi, `$1${HIDDEN}`],
  [/(?:\b|(?<=%[0-9a-f]{2}))(?:sk|rk|gsk|csk|xai|fw|tgp|nvapi|hf|pplx|rig_sk)[-_][\w*.-]{4,}[\w*]/gi, HIDDEN],
  [/\bAIza[\w-]{10,}/g, HIDDEN],
  [/\bya29\.[\w.-]+/g, HIDDEN],
  [/\bAKIA[A-Z0-9]{12,}/g, HIDDEN],
  [/\beyJ[\w-]+\.[\w-]+(?:\.[\w-]*)?/g, HIDDEN],
  [/([?&](?:key|api[_-]?key|token|access_token)=)[^&\s"']+/gi, `$1${HIDDEN}`],
  [
    /((?:api[ _-]?key|authorization|subscription key)(?: provided| used)?["']?\s*[:=]\s*["']?)(?!\[redacted\])[^\s,;"']*[^\s,;"'.]/gi,
    `$1${HIDDEN}`,
  ],
];

/** Control characters, line breaks and marks that reorder text: they would break a line of a log. */
const UNPRINTABLE = /[\p{Cc}\p{Zl}\p{Zp}\u200e\u200f\u202a-\u202e\u2066-\u2069]+/gu;

/**
 * Returns an upstream's text in a form that is safe to log and to show: one line, without key material, of bounded
 * length.
 */
export function redact(text: string, maxLength: number = MAX_MESSAGE_LENGTH): string {
  // Text far beyond the cut is not shown, so it is not searched.
  let safe = text
    .slice(0, 4 * maxLength)
    .replace(UNPRINTABLE, " ")
    .replace(/ {2,}/g, " ")
    .trim();
  for (const [pattern, replacement] of SECRETS) safe = safe.replace(pattern, replacement);
  if (safe.length <= maxLength) return safe;
  // A cut between the halves of a surrogate pair would leave an invalid string.
  return `${safe.slice(0, maxLength - 1).replace(/[\ud800-\udbff]$/, "")}…`;
}

/** A shorter key is not replaced, because it could be part of an ordinary word. */
const SHORTEST_KEY = 6;

/** Returns the failure without the key that was sent: an upstream may echo a key whose form no pattern covers. */
export function withoutKey(reason: Failure, key: string | undefined): Failure {
  if (key === undefined || key.length < SHORTEST_KEY) return reason;
  const hide = (text: string): string =>
    text.replaceAll(key, HIDDEN).replaceAll(encodeURIComponent(key.toWellFormed()), HIDDEN);
  const { message, code, param } = reason;
  return { ...reason, message: hide(message), code: code && hide(code), param: param && hide(param) };
}
