/** Single tokens of broken JSON, written as JSON means them. */

import { skipBlank } from "./text-at.ts";

const ESCAPE = /\\(?:u[\dA-Fa-f]{4}|["\\/bfnrt])|\\(\r?\n)|\\([\s\S])|["\p{Cc}]/gu;
const CONTROL: Readonly<Record<string, string>> = {
  '"': '\\"',
  "\b": "\\b",
  "\f": "\\f",
  "\n": "\\n",
  "\r": "\\r",
  "\t": "\\t",
};

/** The inside of a string with its quotes, control characters and lone backslashes escaped; escapes that are valid stay. */
export function escapeContent(content: string): string {
  return content.replace(ESCAPE, (found, newline: string | undefined, escaped: string | undefined) => {
    if (newline !== undefined) return "\\n";
    if (escaped === undefined) return controlEscape(found);
    // `\'` is how other languages escape; a backslash before other ASCII was meant (regular expressions, paths, TeX).
    return "'`".includes(escaped) || escaped > "~" ? escaped : `\\\\${controlEscape(escaped)}`;
  });
}

function controlEscape(character: string): string {
  const known = CONTROL[character];
  if (known !== undefined || character > "\u001f") return known ?? character;
  return `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`;
}

const RUN = /(?:https?:\/\/[^\s"',}\]]*|(?!\/\/|\/\*|```)[^,[\]{}\n"'`+])+/y;
const RUN_IN_PARENTHESES = /(?:(?!\/\/|\/\*|```)[^,[\]{}\n"'`+)])+/y;
const WORDS = new Map([
  ["true", "true"],
  ["false", "false"],
  ["null", "null"],
  ["none", "null"],
  ["undefined", "null"],
]);
/** `12,345.60`; in an object a comma cannot be followed by digits alone, so it groups them. */
const COMMA_GROUPS = /-?\d{1,3}(?:,\d{3})+(?:\.\d+)?(?=\s*[,}\n])/y;
const GROUPED_NUMBER = /^-?\d[\d_]*(?:\.[\d_]+)?$/;
const ENDS_VALUE = /^[,}\]]?$/;
const LITERAL = /^(?:true|false|null|-?\d+(?:\.\d+)?)$/;
const FRACTION = /^\d+\/\d+$/;

interface BareValue {
  /** As read: words of other languages are those of JSON. */
  readonly text: string;
  /** The same as it goes into the JSON. */
  readonly written: string;
  /** Index behind it, before the end quote where there is one. */
  readonly end: number;
  /** Its first quote was left out, its end quote is there. */
  readonly quoted: boolean;
}

/** A value without quotes, up to the next delimiter; `undefined` where a delimiter stands at once. */
export function readBareValue(
  source: string,
  index: number,
  place: { readonly inParentheses: boolean; readonly inObject: boolean },
): BareValue | undefined {
  const run = bareRun(source, index, place);
  if (run === undefined) return undefined;
  const { text, end } = run;
  const quoted = source[end] === '"' && ENDS_VALUE.test(source[skipBlank(source, end + 1)] ?? "");
  return { text, end, quoted, written: quoted && !isLiteral(text) ? `"${escapeContent(text)}"` : text };
}

function bareRun(
  source: string,
  index: number,
  place: { readonly inParentheses: boolean; readonly inObject: boolean },
): { readonly text: string; readonly end: number } | undefined {
  COMMA_GROUPS.lastIndex = index;
  const grouped = place.inObject ? COMMA_GROUPS.exec(source)?.[0] : undefined;
  if (grouped !== undefined) return { text: grouped.replaceAll(",", ""), end: index + grouped.length };
  const pattern = place.inParentheses ? RUN_IN_PARENTHESES : RUN;
  pattern.lastIndex = index;
  const run = pattern.exec(source)?.[0];
  if (run === undefined) return undefined;
  const word = run.trim();
  const rest = run.slice(run.indexOf(word) + word.length);
  return { text: meant(word) + rest, end: index + run.length };
}

/** `true`, `false`, `null` or a number, as JSON writes them. */
export function isLiteral(text: string): boolean {
  return LITERAL.test(text);
}

function meant(word: string): string {
  const known = WORDS.get(word.toLowerCase());
  if (known !== undefined) return known;
  if (word.includes("_") && GROUPED_NUMBER.test(word)) return word.replaceAll("_", "");
  return FRACTION.test(word) ? `"${word}"` : word;
}
