const QUOTE = 0x22;
const BACKSLASH = 0x5c;

/**
 * Whether objects and arrays in a JSON text nest deeper than `max` levels: one pass, nothing is parsed or allocated, so
 * that a hostile body is refused before `JSON.parse` would run out of stack. Never throws; of a text that is not JSON it
 * only says how deep its brackets go.
 */
export function exceedsDepth(text: string, max: number): boolean {
  let depth = 0;
  for (let index = 0; index < text.length; index += 1) {
    switch (text.charCodeAt(index)) {
      case QUOTE:
        index = endOfString(text, index);
        break;
      case 0x7b: // {
      case 0x5b: // [
        depth += 1;
        if (depth > max) return true;
        break;
      case 0x7d: // }
      case 0x5d: // ]
        depth -= 1;
    }
  }
  return false;
}

/** Members that a request or an answer may have: each costs work in every check, whatever the text weighs. */
export const MOST_MEMBERS = { each: 50_000, total: 500_000 };

/** The least that a member takes: `"":1,`. */
const MEMBER_LENGTH = 5;

/**
 * Whether a JSON text holds more members than `total`, or one object in it more than `each`: one pass, nothing is parsed,
 * so that a body of a million unknown names is refused before each of them is looked at. A text too short for that many
 * is not read at all. Never throws.
 */
export function exceedsMembers(
  text: string,
  { each, total }: { readonly each: number; readonly total: number },
): boolean {
  if (text.length <= MEMBER_LENGTH * Math.min(each, total)) return false;
  const counts: number[] = [];
  let all = 0;
  for (let index = 0; index < text.length; index += 1) {
    switch (text.charCodeAt(index)) {
      case QUOTE:
        index = endOfString(text, index);
        break;
      case 0x7b: // {
        counts.push(0);
        break;
      case 0x7d: // }
        counts.pop();
        break;
      case 0x3a: {
        // :
        const own = (counts.pop() ?? 0) + 1;
        all += 1;
        if (own > each || all > total) return true;
        counts.push(own);
      }
    }
  }
  return false;
}

/** Index of the quote that ends the JSON string opened at `open`; the text's length where none does. */
export function endOfString(text: string, open: number): number {
  let index = open + 1;
  while (index < text.length) {
    const code = text.charCodeAt(index);
    if (code === QUOTE) return index;
    index += code === BACKSLASH ? 2 : 1;
  }
  return text.length;
}
