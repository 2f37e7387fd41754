/** An escaped pair of backslashes, or the escape of half a surrogate pair: `JSON.stringify` writes whole pairs as they are. */
const ESCAPES = /\\\\|\\u[dD][89a-fA-F][0-9a-fA-F]{2}/g;

/** JSON text without lone surrogates, which no UTF-8 holds and providers refuse: each becomes U+FFFD. */
export function wellFormedJson(value: unknown): string {
  const text = JSON.stringify(value);
  if (!text.includes("\\ud")) return text;
  return text.replace(ESCAPES, (found) => (found === "\\\\" ? found : "\ufffd"));
}
