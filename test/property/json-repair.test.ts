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

describe("a document with one kind of damage is repaired to what it was, or refused", () => {
  for (const [name, damage] of Object.entries(DAMAGES)) {
    it(name, () => {
      fc.assert(
        fc.property(documents, fc.nat(), (document, seed) => {
          const damaged = damage(JSON.stringify(document), (count) => (count > 0 ? seed % count : 0));
          fc.pre(damaged !== undefined);
          const result = repairJson(damaged ?? "");
          if (!result.ok || !result.value.completed) return;
          expect(isDeepStrictEqual(result.value.value, JSON.parse(JSON.stringify(document)))).toBe(true);
        }),
        { numRuns: Number(process.env["MODELRIG_FUZZ"] ?? 300) },
      );
    });
  }
});
