/** Where a text stops being JSON (RFC 8259): `line 3, column 14`. For the error path only; never quotes the text. */
export function jsonFaultPosition(text: string): string {
  const offset = firstFault(text);
  const before = text.slice(0, offset).split("\n");
  const where = `line ${before.length}, column ${(before.at(-1) ?? "").length + 1}`;
  return offset >= text.length ? `it ends too early, at ${where}` : where;
}

const NUMBER = /-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?/y;
const ESCAPE = /\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4})/y;
const WORD = /true|false|null/y;
const SPACE = /[ \t\n\r]*/y;

type Expect = "value" | "value-or-]" | "key" | "key-or-}" | "colon" | "comma-or-end";

/** Offset of the first character that cannot stand where it stands; the length of the text when it is cut. */
export function firstFault(text: string): number {
  const open: ("{" | "[")[] = [];
  let at = 0;
  let expect: Expect = "value";
  const take = (pattern: RegExp): boolean => {
    pattern.lastIndex = at;
    if (!pattern.test(text)) return false;
    at = pattern.lastIndex;
    return true;
  };
  /** Stops at the character that cannot be in a string, so that the fault is located there and not at the quote. */
  const string = (): boolean => {
    if (text[at] !== '"') return false;
    at += 1;
    for (;;) {
      const character = text[at];
      if (character === undefined || character < " ") return false;
      if (character === "\\") {
        if (!take(ESCAPE)) return false;
        continue;
      }
      at += 1;
      if (character === '"') return true;
    }
  };
  for (;;) {
    take(SPACE);
    if (expect === "comma-or-end" && open.length === 0) return at;
    const character = text[at];
    if (character === undefined) return at;
    const closes = character === "}" ? "{" : character === "]" ? "[" : undefined;
    if (closes !== undefined && expect !== "value" && expect !== "key" && expect !== "colon") {
      if (open.at(-1) !== closes) return at;
      open.pop();
      at += 1;
      expect = "comma-or-end";
      continue;
    }
    switch (expect) {
      case "comma-or-end":
        if (character !== ",") return at;
        at += 1;
        expect = open.at(-1) === "{" ? "key" : "value";
        break;
      case "colon":
        if (character !== ":") return at;
        at += 1;
        expect = "value";
        break;
      case "key":
      case "key-or-}":
        if (!string()) return at;
        expect = "colon";
        break;
      default:
        if (character === "{" || character === "[") {
          open.push(character);
          at += 1;
          expect = character === "{" ? "key-or-}" : "value-or-]";
        } else {
          if (!(take(WORD) || take(NUMBER) || string())) return at;
          expect = "comma-or-end";
        }
    }
  }
}
