/** Reads facts from an input text without understanding it: labelled values, amounts, dates, sentences. */

/** The value written after a label, as in `Invoice number: A-17` for the key `invoice_number`. */
export function labelled(text: string, key: string): string | undefined {
  const words = key
    .replace(/([a-z])([A-Z])/g, "$1 $2")
    .split(/[\s_.-]+/)
    .filter(Boolean);
  const label = words.map((word) => word.replace(/[^\p{L}\p{N}]/gu, "")).join("[\\s_-]*");
  if (label === "") return undefined;
  return new RegExp(`(?:^|[^\\p{L}\\p{N}])${label}\\s*(?:is|:|=|#)\\s*([^\\n;]{1,120})`, "iu").exec(text)?.[1]?.trim();
}

/** Returns the first amount in a text; thousands separators are read, a decimal comma is not. */
export function firstAmount(text: string): number | undefined {
  const found = /-?\d[\d,]*(?:\.\d+)?/.exec(text)?.[0];
  return found === undefined ? undefined : Number(found.replaceAll(",", ""));
}

export function isoDate(text: string): string | undefined {
  return /\b\d{4}-\d{2}-\d{2}\b/.exec(text)?.[0];
}

export function sentences(text: string): string[] {
  const found = text.split(/(?<=[.!?])\s+|\n+/).map((sentence) => sentence.trim());
  return found.filter((sentence) => /\p{L}{2}/u.test(sentence));
}

/** Returns at most this many characters, cut at a word where possible. */
export function cutAtWord(text: string, characters: number): string {
  if (text.length <= characters) return text;
  const space = text.lastIndexOf(" ", characters);
  return text.slice(0, space > characters / 2 ? space : characters);
}
