import { isDeepStrictEqual } from "node:util";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { repairJson } from "../../src/json/repair/repair.ts";

const words = fc.constantFrom(
  "alpha",
  "it's",
  "said",
  "12",
  "b:",
  "yes,",
  "(c)",
  '"q"',
  "\n",
  "é",
  "https://x.example/a",
  '"',
  "a, b",
  "{x}",
  "[1]",
  "null",
  "// no",
  "#1",
  "a: b",
  "}",
  "]",
);
const text = fc.array(words, { minLength: 1, maxLength: 4 }).map((some) => some.join(" "));
const keys = fc.constantFrom("id", "name", "note", "x_1", "unit price", "v2");
const scalar = fc.oneof(text, fc.integer(), fc.boolean(), fc.constant(null));
const { value } = fc.letrec((tie) => ({
  value: fc.oneof(
    { maxDepth: 3 },
    scalar,
    fc.array(tie("value"), { maxLength: 3 }),
    fc.dictionary(keys, tie("value"), { maxKeys: 3 }),
  ),
}));
const documents = fc.dictionary(keys, value, { minKeys: 1, maxKeys: 4 });

interface Token {
  readonly open: number;
  readonly close: number;
  readonly isKey: boolean;
}

function stringsOf(json: string): Token[] {
  return [...json.matchAll(/"(?:\\.|[^"\\])*"/g)].map(({ 0: found, index }) => {
    const close = index + found.length - 1;
    return { open: index, close, isKey: json[close + 1] === ":" };
  });
}

type Damage = (json: string, pick: (count: number) => number) => string | undefined;

const without = (json: string, at: number) => json.slice(0, at) + json.slice(at + 1);
const onString =
  (change: (json: string, token: Token) => string, isKey?: boolean): Damage =>
  (json, pick) => {
    const tokens = stringsOf(json).filter((token) => isKey === undefined || token.isKey === isKey);
    const token = tokens[pick(tokens.length)];
    return token && change(json, token);
  };
/** One of the places outside of strings that `pattern` finds. */
const onMark =
  (pattern: RegExp, change: (json: string, at: number) => string): Damage =>
  (json, pick) => {
    const bare = json.replace(/"(?:\\.|[^"\\])*"/g, (found) => "_".repeat(found.length));
    const places = [...bare.matchAll(pattern)].map(({ index }) => index);
    const at = places[pick(places.length)];
    return at === undefined ? undefined : change(json, at);
  };
const put = (json: string, at: number, what: string) => json.slice(0, at) + what + json.slice(at);
const outside = (json: string, change: (between: string) => string) =>
  json.replace(
    /("(?:\\.|[^"\\])*")|([^"]+)/g,
    (_, string: string | undefined, between: string) => string ?? change(between),
  );

/** One kind each, as models make them. */
const DAMAGES: Readonly<Record<string, Damage>> = {
  "the end quote of a value left out": onString((json, { close }) => without(json, close), false),
  "the end quote of a key left out": onString((json, { close }) => without(json, close), true),
  "the first quote of a key left out": onString((json, { open }) => without(json, open), true),
  "the quotes of a key left out": onString(
    (json, { open, close }) => (/^\w+$/.test(json.slice(open + 1, close)) ? without(without(json, close), open) : json),
    true,
  ),
  "the first quote of a value twice": onString((json, { open }) => `${json.slice(0, open)}"${json.slice(open)}`, false),
  "both quotes of a value twice": onString(
    (json, { open, close }) => `${json.slice(0, open)}"${json.slice(open, close)}"${json.slice(close)}`,
    false,
  ),
  "the first quote of a value left out": onString((json, { open }) => without(json, open), false),
  // Of words alone: what else it may be cannot be told from items or brackets.
  "both quotes of a value left out": onString(
    (json, { open, close }) =>
      /^[A-Za-z]\w+( \w+)*$/.test(json.slice(open + 1, close)) ? without(without(json, close), open) : json,
    false,
  ),
  "the end quote of a value twice": onString((json, { close }) => put(json, close, '"'), false),
  "the first quote of a key twice": onString((json, { open }) => put(json, open, '"'), true),
  "the end quote of a key twice": onString((json, { close }) => put(json, close, '"'), true),
  "the quotes in one string unescaped": onString(
    (json, { open, close }) =>
      json.slice(0, open + 1) + json.slice(open + 1, close).replaceAll('\\"', '"') + json.slice(close),
  ),
  "one quote in a string unescaped": onString(
    (json, { open, close }) =>
      json.slice(0, open + 1) + json.slice(open + 1, close).replace('\\"', '"') + json.slice(close),
  ),
  "all quotes in strings unescaped": (json) => json.replaceAll('\\"', '"'),
  // Not between digits, where the two numbers become one.
  "a comma left out": onMark(/,(?!\d)/g, without),
  "a comma for a blank": onMark(/,/g, (json, at) => `${json.slice(0, at)} ${json.slice(at + 1)}`),
  "a comma twice": onMark(/,/g, (json, at) => put(json, at, ",")),
  "a semicolon for a comma": onMark(/,/g, (json, at) => `${json.slice(0, at)};${json.slice(at + 1)}`),
  "a colon left out": onMark(/:/g, without),
  "an equals sign for a colon": onMark(/:/g, (json, at) => `${json.slice(0, at)}=${json.slice(at + 1)}`),
  "a comma for a colon": onMark(/:/g, (json, at) => `${json.slice(0, at)},${json.slice(at + 1)}`),
  "an opening bracket left out": onMark(/[{[]/g, without),
  "a closing bracket left out": onMark(/[}\]]/g, without),
  "a closing bracket twice": onMark(/[}\]]/g, (json, at) => put(json, at, json[at] ?? "")),
  "the wrong closing bracket": onMark(
    /[}\]]/g,
    (json, at) => `${json.slice(0, at)}${json[at] === "}" ? "]" : "}"}${json.slice(at + 1)}`,
  ),
  // Not alone in a list, where it is an item without its quotes.
  "a stray word": onMark(/[,:{[}]|(?<!\[)\]/g, (json, at) => put(json, at, " stray ")),
  "a stray word behind a mark": onMark(/[,:{}\]]|\[(?!\])/g, (json, at) => put(json, at + 1, " stray ")),
  "a stray quote": onMark(/[,:{[}\]]/g, (json, at) => put(json, at + 1, '"')),
  "typographic quotes": (json) => json.replace(/"((?:\\.|[^"\\])*)"/g, "“$1”"),
  "prose around": (json) => `Here it is: ${json} I hope it "helps".`,
  "trailing commas": (json) => outside(json, (between) => between.replace(/[}\]]/g, ",$&")),
  comments: (json) => outside(json, (between) => between.replace(/,/g, ", // a note\n")),
  "single quotes": (json) =>
    json.replace(
      /"((?:\\.|[^"\\])*)"/g,
      (_, inside: string) => `'${inside.replaceAll('\\"', '"').replaceAll("'", "\\'")}'`,
    ),
  "raw line breaks": (json) => json.replaceAll("\\n", "\n"),
  "Python's literals": (json) =>
    outside(json, (between) =>
      between.replaceAll("true", "True").replaceAll("false", "False").replaceAll("null", "None"),
    ),
  "a placeholder and brackets in prose": (json) => `Hi {{name}}, see [1]:\n${json}\nDone.`,
  "a fence": (json) => `\`\`\`json\n${json}\n\`\`\``,
  "an end that was cut off": (json, pick) => json.slice(0, 1 + pick(json.length - 2)),
};

const RUNS = Number(process.env["MODELRIG_FUZZ"] ?? 300);
/** A longer search looks elsewhere every time; the suite looks at the same documents. */
const SETTING = { numRuns: RUNS, ...(process.env["MODELRIG_FUZZ"] === undefined && { seed: 20_261_201 }) };

/** Documents, of all that were damaged, that were served as something else. */
function servedWrong(damage: (typeof DAMAGES)[string]): unknown[] {
  const wrong: unknown[] = [];
  fc.assert(
    fc.property(documents, fc.nat(), (document, seed) => {
      const damaged = damage(JSON.stringify(document), (count) => (count > 0 ? seed % count : 0));
      // A damage that leaves valid JSON cannot be seen.
      fc.pre(damaged !== undefined && !isJson(damaged));
      const result = repairJson(damaged ?? "");
      if (!result.ok || !result.value.completed) return;
      if (!isDeepStrictEqual(result.value.value, JSON.parse(JSON.stringify(document)))) wrong.push(damaged);
    }),
    SETTING,
  );
  return wrong;
}

describe("a document with one kind of damage is repaired to what it was, or refused", () => {
  for (const [name, damage] of Object.entries(DAMAGES)) {
    it(name, () => {
      expect(servedWrong(damage)).toEqual([]);
    });
  }
});

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}
