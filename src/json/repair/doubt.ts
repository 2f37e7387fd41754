/** Where broken JSON can be read otherwise than the scan reads it. */
import type { Container } from "./container.ts";
import { isLiteral } from "./lenient-tokens.ts";
import type { StringRole } from "./string-end.ts";
import { isBlank, KEY, matchesAt, skipBlank } from "./text-at.ts";

/** Whether a text can be read otherwise: `some` where a second reading that agrees settles it, `strong` where it does not. */
export type Doubt = "none" | "some" | "strong";

/** A quote beside what separates members: it may have been one of the document's own. */
const STRUCTURE =
  /"\s*(?:[,:]\s*(?:["{[\d]|-\d|(?:true|false|null)\b|\w+"?\s*:)|:|[{[]|\d|(?:true|false|null)\b|;|,\s*[,;])|[{[]\s*"/;
const COMMENT = /\/\*|\*\//;
/** A quote before a semicolon, or before a comma and a word alone on the rest of the line. */
const SEPARATED = /"\s*;|"\s*,\s*\w+\s*\n/;
/** A quote with nothing but blanks between it and an end of the string. */
const AT_AN_END = /^\s*"|"\s*$/;
/** One quote alone, next to a comma or behind a colon. */
const UNPAIRED = /"\s*,|[,:]\s*"/;

/** Text with a blank or a comma at an end, or none: two such strings side by side may be one with quotes in it. */
const LOOSE_ENDS = /^[\s,]|[\s,]$|^$/;
const LOOSE_BEFORE = /[\s"]"\s*$/;
/**
 * A string that begins with a blank or with another quote, or one with quotes inside, escaped or not: it may be
 * text of a string whose end quote is not left out at all.
 */
const TEXT_BEHIND = /^,\s*"(?:[\s"]|[^"\\\n]{1,300}(?:\\"|"\s*[^\s,\]}:]))/;
/** A comment behind a string that may have been text of it. */
const HASH_COMMENT = /^\s{1,20}#[^\n]*"/;
const TWICE = /""(?=[^\s"',:}\]])(?:\\[^"]|[^"\\\n]){1,1000}"\s{0,50}[,:}\]]/y;
/** A separator, an escape or a value behind other words. */
const DOUBTFUL_WORDS = /[;\\]|^(?:true|false|null)[\s\w.-]|^[A-Za-z].*\s(?:-?\d[\d.]*|true|false|null)$/;
/** A bare member or item on a line of its own. */
const LINE_START = /[A-Za-z_$][\w$-]{0,100}\s{0,50}[:,\]}\n]/y;
/** What may stand behind a bare value. */
const AFTER_WORDS = /^[,:}\])+/#]?$/;

/** `""text"`: the opening quote stands there twice, and no other quote of the string is open. */
export function isWrittenTwice(source: string, quote: number): boolean {
  return matchesAt(TWICE, source, quote);
}

/** Of a string between the quote at `open` and `end`, where its own end quote is or was left out. */
export function doubtOfString(
  source: string,
  {
    open,
    end,
    role,
    isClosed,
    isJoined,
  }: {
    readonly open: number;
    readonly end: number;
    readonly role: StringRole;
    readonly isClosed: boolean;
    /** No comma stands between it and the member before it. */
    readonly isJoined: boolean;
  },
): Doubt {
  const content = source.slice(open + 1, end);
  if (isJoined && role === "item" && (LOOSE_ENDS.test(content) || LOOSE_BEFORE.test(source.slice(0, open).slice(-20))))
    return "strong";
  if (!isClosed && TEXT_BEHIND.test(source.slice(end, end + 400))) return "strong";
  if (HASH_COMMENT.test(source.slice(end + 1, end + 200))) return "strong";
  if (!isClosed && /[}\]]\s*$/.test(content)) return "strong";
  const inside = source[open] === '"' ? doubtOfContent(content, role) : "none";
  return inside === "none" && !isClosed && (role === "item" || /[:,{[]/.test(content)) ? "some" : inside;
}

/** Of a value without quotes, or with its end quote alone. */
export function doubtOfBareValue(
  source: string,
  start: number,
  { text, end, quoted }: { readonly text: string; readonly end: number; readonly quoted: boolean },
  container: Container,
): Doubt {
  const word = text.trim();
  if (DOUBTFUL_WORDS.test(word) || (quoted && isLiteral(word))) return "strong";
  if (container.kind === "array" && container.state === "next" && !newLineBefore(source, start)) return "strong";
  if (quoted || isLiteral(word)) return "none";
  const behind = skipBlank(source, end);
  const isLine = source.slice(end, behind).includes("\n") || text.endsWith("\n");
  if (isLine && matchesAt(LINE_START, source, behind)) return "none";
  return AFTER_WORDS.test(source[behind] ?? "") || matchesAt(KEY, source, end) ? "none" : "strong";
}

/** Of a comma: one before the first member is too many; behind another, or a colon, something may be missing. */
export function doubtOfComma({ kind, isSet, state, count, comma }: Container): Doubt {
  if (isSet || state === "next") return "none";
  if (state === "colon") return count > 0 ? "some" : "none";
  return count > 0 || comma !== undefined || (kind === "object" && state === "value") ? "strong" : "none";
}

/** Of the bracket before `after`, which closes `stack[depth]`, or nothing that is open. */
export function doubtOfClosing(source: string, after: number, stack: readonly Container[], depth: number): Doubt {
  const top = stack.at(-1);
  if (top?.kind === "object" && (top.state === "value" || top.state === "colon") && !top.isSet) return "strong";
  const before = lastBefore(source, after - 1);
  // `}}` where one closes what is open is one too many; another bracket may be the partner of one left out.
  if (depth < 0) return source[after - 1] === "}" && before === "}" ? "none" : "some";
  const implied = stack.slice(depth + 1);
  if (implied.length === 0) return "none";
  if (before === "}" || before === "]") return "strong";
  const more = skipBlank(source, after) < source.length;
  // Of brackets left out: members before this one may stand behind the place of one of them.
  const unclear = implied.some(
    ({ kind, count }, index) => (count === 0 && more) || (kind === stack[depth + index]?.kind && count > 1),
  );
  return unclear ? "strong" : "some";
}

/** Of a brace that closes the root although another member follows. */
export function doubtOfEarlyClosing(source: string, after: number, stack: readonly Container[]): Doubt {
  const top = stack.at(-1);
  if (stack.length > 2 || (stack.length === 2 && (top?.kind !== "array" || top.count === 0))) return "strong";
  return "}]".includes(lastBefore(source, after - 1) ?? "-") ? "strong" : "none";
}

function newLineBefore(source: string, index: number): boolean {
  const before = source.slice(Math.max(0, index - 20), index);
  return before.slice(before.trimEnd().length).includes("\n");
}

/** The last character before `index` that is not blank. */
export function lastBefore(source: string, index: number): string | undefined {
  let at = index - 1;
  while (at >= 0 && isBlank(source.charCodeAt(at))) at -= 1;
  return source[at];
}

/** `content` is what stands in the source between the quotes taken for the string's own. */
function doubtOfContent(content: string, role: StringRole): Doubt {
  const bare = content.replace(/\\[\s\S]/g, "\\\\");
  const quotes = bare.split('"').length - 1;
  if (quotes === 0) return "none";
  if (role === "key" || COMMENT.test(bare)) return "some";
  const odd = quotes % 2 === 1;
  // Written twice: the string's own quote, or one of its text.
  // An item may have been two, of which one lost a quote.
  if (odd && ((role === "item" && /\S"\s/.test(bare)) || AT_AN_END.test(bare) || UNPAIRED.test(bare))) return "strong";
  if (quotes === 2 && bare.startsWith('"') && bare.endsWith('"')) return "strong";
  if (SEPARATED.test(bare)) return "strong";
  if (role === "item" && /"\s*,\s*\w+\s*"/.test(bare)) return "strong";
  const outside = withoutEmbedded(bare);
  return outside === undefined || STRUCTURE.test(outside) ? "some" : "none";
}

/** The text without the JSON or code in brackets that it quotes; `undefined` where its brackets do not match. */
function withoutEmbedded(text: string): string | undefined {
  let depth = 0;
  let outside = "";
  for (const character of text) {
    if (character === "{" || character === "[") depth += 1;
    if (depth === 0) outside += character;
    if (character === "}" || character === "]") depth -= 1;
    if (depth < 0) return undefined;
  }
  return depth === 0 ? outside : undefined;
}
