/** What stands in a text at an index. */

/** `pattern` is sticky. */
export function matchesAt(pattern: RegExp, text: string, index: number): boolean {
  pattern.lastIndex = index;
  return pattern.test(text);
}

/** Index of the first character from `index` on that is neither white space nor part of a comment. */
export function skipBlank(text: string, index: number): number {
  let at = index;
  for (;;) {
    while (at < text.length && isBlank(text.charCodeAt(at))) at += 1;
    const after = skipComment(text, at);
    if (after === at) return at;
    at = after;
  }
}

/** Index behind the comment that starts at `index`; `index` itself where none does. */
export function skipComment(text: string, index: number): number {
  if (text.startsWith("//", index)) return indexOr(text, "\n", index, text.length);
  if (text.startsWith("/*", index)) return indexOr(text, "*/", index + 2, text.length - 2) + 2;
  if (text[index] === "#" && isBlank(text.charCodeAt(index - 1))) {
    const end = text.indexOf("\n", index);
    if (end >= 0) return end;
  }
  return index;
}

function indexOr(text: string, sought: string, from: number, otherwise: number): number {
  const found = text.indexOf(sought, from);
  return found < 0 ? Math.max(otherwise, from) : found;
}

/** White space of JSON, and the special spaces that models and editors put in its place. */
export function isBlank(code: number): boolean {
  return (
    code === 0x20 ||
    (code >= 0x09 && code <= 0x0d) ||
    code === 0xa0 ||
    (code >= 0x2000 && code <= 0x200a) ||
    code === 0x202f ||
    code === 0x205f ||
    code === 0x3000 ||
    code === 0xfeff
  );
}

export function blankLength(text: string, from: number): number {
  let at = from;
  while (at < text.length && isBlank(text.charCodeAt(at))) at += 1;
  return at - from;
}

/** Behind a document: a comma and another member of it. */
export const NEXT_KEY = /\s{0,200},\s{0,200}"(?:\\.|[^"\\\n]){0,1000}"\s{0,50}:/y;
export const KEY = /\s{0,200}"(?:\\.|[^"\\\n]){0,1000}"\s{0,50}:/y;
