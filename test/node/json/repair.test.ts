import { describe, expect, it } from "vitest";
import { repairJson } from "../../../src/json/repair/repair.ts";

function repaired(text: string, schema?: unknown) {
  const result = repairJson(text, { schema });
  if (!result.ok) throw new Error(result.error.message);
  return result.value;
}

const repairedValue = (text: string, schema?: unknown) => repaired(text, schema).value;

describe("valid JSON", () => {
  it.each(['{"b":1,"a":1.0e2}', "  [ ]\n", '"text"', "null", '{"a":1,"a":2}', '{"id":2512292042121000001}'])(
    "is not touched: %j",
    (text) => {
      expect(repaired(text)).toEqual({ value: JSON.parse(text), text, changed: false, completed: true });
    },
  );

  it("stays as it is also where a schema does not accept it", () => {
    expect(repaired("[1,2]", { type: "array", items: { type: "string" } })).toMatchObject({
      text: "[1,2]",
      changed: false,
    });
  });
});

describe("broken JSON, one of each kind", () => {
  it.each([
    ["quotes inside a value (G099)", '{"cmd": "find . -name "*.llm""}', { cmd: 'find . -name "*.llm"' }],
    [
      "a plain quote that closes a typographic one (G102)",
      '{"t":"das „kleine Haus" am See"}',
      { t: 'das „kleine Haus" am See' },
    ],
    ["quotes around a comma", '{"t":"he said "yes", then "no"","n":1}', { t: 'he said "yes", then "no"', n: 1 }],
    [
      "JSON inside a string, not escaped",
      '{"t":"answer {"a": "5"}, wrong","n":"4"}',
      { t: 'answer {"a": "5"}, wrong', n: "4" },
    ],
    [
      "a fence with quotes inside a string",
      '{"req":"```mermaid\nA : "has"\n```"}',
      { req: '```mermaid\nA : "has"\n```' },
    ],
    ["a link inside a string", '{"c":"[L]("https://x.example")"}', { c: '[L]("https://x.example")' }],
    ["line breaks and tabs in a string (G100)", '{"f":"line 1\n\tline 2"}', { f: "line 1\n\tline 2" }],
    [
      "backslashes that are meant",
      String.raw`{"re":"^\s*\d+$","p":"C:\data"}`,
      { re: String.raw`^\s*\d+$`, p: String.raw`C:\data` },
    ],
    ["escaped apostrophes", String.raw`{"a":"it\'s"}`, { a: "it's" }],
    ["apostrophes in single quotes", "{'a': 'it's fine', 'b': 2}", { a: "it's fine", b: 2 }],
    ["typographic quotes", "{“a”: “b”}", { a: "b" }],
    ["bare keys and values", "{a: some words, b: true}", { a: "some words", b: true }],
    ["a missing end quote", '{"a":"b,"c":"d"}', { a: "b", c: "d" }],
    ["a missing end quote at a line's end", '{"a":"b\n "c":"d"}', { a: "b", c: "d" }],
    ["a missing end quote of a key", '{"a:"b"}', { a: "b" }],
    ["a missing start quote", '{"a":b","c":1}', { a: "b", c: 1 }],
    ["a missing end quote in a list", '["a, "b"]', ["a", "b"]],
    ["missing commas", '{"a":"x" "b":["y" "z"]}', { a: "x", b: ["y", "z"] }],
    ["trailing commas", '{"a":[1,2,],}', { a: [1, 2] }],
    ["comments", '{"a":1, // one\n /* two */ "b":2, # three\n "c":3}', { a: 1, b: 2, c: 3 }],
    ["Python literals", "{'a': True, 'b': None, 'c': (1, 2), 'd': ('x')}", { a: true, b: null, c: [1, 2], d: "x" }],
    ["literals in capitals", '{"a":TRUE,"b":Null}', { a: true, b: null }],
    ["a set", "{'a', 'b'}", ["a", "b"]],
    ["grouped numbers", '{"a":1_234.5,"b":-2,000.50,"c":1/3}', { a: 1234.5, b: -2000.5, c: "1/3" }],
    ["a list closed by a brace", '{"a":["x","y"},"b":1}', { a: ["x", "y"], b: 1 }],
    ["a brace too many inside", '[{"a":"x"}},{"a":"y"}]', [{ a: "x" }, { a: "y" }]],
    ["a brace too early", '{"a":"x"}, "b":"y"}', { a: "x", b: "y" }],
    ["an unclosed list before the next key", '{"a":["x","y","b":1}', { a: ["x", "y"], b: 1 }],
    ["members without their object", '["a":"x","b":"y"]', [{ a: "x", b: "y" }]],
    ["a word that belongs nowhere", '{"a":true, COMMENT "b":"x"}', { a: true, b: "x" }],
    ["concatenated strings", '{"a":"x" + "y"}', { a: "xy" }],
    ["an ellipsis", "[1,2,...]", [1, 2]],
    ["function calls", '{"_id":ObjectId("7"),"n":NumberLong("2")}', { _id: "7", n: "2" }],
    ["escaped as a whole", String.raw`{\"a\":\"b\"}`, { a: "b" }],
    ["lines of JSON", '{"a":1}\n{"a":2}\n', [{ a: 1 }, { a: 2 }]],
    ["a fenced tuple", "```json\n(1, 2)\n```", [1, 2]],
  ])("%s", (_, text, expected) => {
    expect(repaired(text)).toMatchObject({ value: expected, changed: true, completed: true });
  });

  it("comes with a text that is the value, number by number", () => {
    const { text, value } = repaired('{"id":2512292042121000001,"x":1.50,}');
    expect(text).toBe('{"id":2512292042121000001,"x":1.50}');
    expect(JSON.parse(text)).toEqual(value);
  });

  it("keeps a key called __proto__ a key", () => {
    expect(Object.keys(repairedValue('{"__proto__":{"x":1},}') as object)).toEqual(["__proto__"]);
  });
});

describe("an answer that was cut", () => {
  it.each([
    '{"a":{"b":1}',
    '{"a":"half a sent',
    '{"a":[1,2,',
    '{"a":',
    '{"a":tr',
    '["x", "y"',
    'Example: {"a":1}. Answer: {"a":2,"b":[',
    '```json\n{"a":1,\n```',
    '<think>{"a":0}</think>{"a":1,"b":[1,2,',
    '"half a sent',
    "tru",
    "12.",
  ])("is marked as cut: %j", (text) => {
    expect(repaired(text).completed).toBe(false);
  });

  it("is the one that was being written, not an example before it", () => {
    expect(repairedValue('Example: {"a":1}. Answer: {"a":2,"b":[')).toEqual({ a: 2, b: [] });
  });
});

describe("of several documents", () => {
  const schema = { type: "object", properties: { a: { type: "number" } }, required: ["a"] };

  it("the first that conforms is taken, where a schema says what conforms", () => {
    expect(repairedValue('{"note":"thinking"} then {"a":1} and {"a":2}', schema)).toEqual({ a: 1 });
    expect(repairedValue('{"a":"no"}{"a":3}', schema)).toEqual({ a: 3 });
  });

  it("all make a list, where the schema asks for one", () => {
    expect(repairedValue('first {"a":1}, then {"a":2}', { type: "array", items: schema })).toEqual([
      { a: 1 },
      { a: 2 },
    ]);
  });

  it("a fenced one is taken before one in prose", () => {
    expect(repairedValue('Given {"a":1,"long":"input"}:\n```json\n{"a":2}\n```')).toEqual({ a: 2 });
  });

  it("none is taken without a schema where they stand side by side", () => {
    expect(repairJson('{"a":2}{"b":3}').ok).toBe(false);
  });

  it("the reading that conforms is taken of one that can be read in two ways", () => {
    expect(
      repairedValue('{"key": "lorem "ipsum", sic", "n": 1,}', { type: "object", required: ["key", "n"] }),
    ).toMatchObject({ n: 1 });
  });
});

describe("an answer without brackets", () => {
  const category = { $ref: "#/$defs/c", $defs: { c: { enum: ["POSITIVE", "NEGATIVE"] } } };

  it("is the listed value that it names but for case, quotes, emphasis or a final stop", () => {
    for (const text of ["positive", "**Positive**", "`POSITIVE`", "Positive.", "'POSITIVE'"]) {
      expect(repairedValue(text, category)).toBe("POSITIVE");
    }
  });

  it("is not the listed value that occurs in prose", () => {
    expect(repairJson("I would say positive.", { schema: category }).ok).toBe(false);
    expect(repairJson("not POSITIVE but NEGATIVE", { schema: category }).ok).toBe(false);
  });

  it("is a string only for a schema that asks for one", () => {
    expect(repairedValue("Just a sentence.", { type: "string" })).toBe("Just a sentence.");
    expect(repairedValue("A few words")).toBe("A few words");
    expect(repairJson("A few words", { schema: true }).ok).toBe(false);
    expect(repairJson("I'm sorry, I can't help with that.", { schema: true }).ok).toBe(false);
    expect(repairJson("I am sorry.", { schema: { type: "object" } }).ok).toBe(false);
  });

  it("is a number that is grouped by commas, where one is asked for", () => {
    expect(repairedValue("12,111", { type: "integer" })).toBe(12_111);
  });
});

describe("what cannot be repaired is an error", () => {
  it.each(["", "  \n", "\ufeff"])("%j is empty", (text) => {
    expect(repairJson(text)).toMatchObject({ ok: false, error: { reason: "empty" } });
  });

  it.each(["]", "}", '"', "/", '{"a",', "{:2}", "foo [", String.raw`"\uZ000"`, "<think>only this"])(
    "%j is unparseable",
    (text) => {
      expect(repairJson(text)).toMatchObject({ ok: false, error: { reason: "unparseable" } });
    },
  );

  it("and says nothing of the text", () => {
    const result = repairJson("{:secret}");
    expect(result.ok ? "" : result.error.message).not.toContain("secret");
  });
});

describe("time", () => {
  const size = 100_000;
  it.each([
    ["quotes", `{"a":"${'"'.repeat(size)}`],
    ["quotes and braces", `{"a":"${'"}'.repeat(size / 2)}`],
    ["open brackets", "[".repeat(size)],
    ["closing brackets", `{"a":"x"${"}".repeat(size)}`],
    ["items without commas", `[${'"x" '.repeat(size / 4)}`],
    ["backticks", `x${"`".repeat(size)}x`],
    ["dots", `${".".repeat(size)}x`],
    ["comments", `{"a":1}${"/* */".repeat(size / 5)}x{"b":2}`],
    ["reasoning", `${"<think>x</think>".repeat(size / 16)}{"a":1}`],
    ["backslashes", `{"a":"${"\\".repeat(size)}`],
    ["spaces", `{"a":1,${" ".repeat(size)}x`],
    ["brackets in prose", "x {".repeat(size / 3)],
  ])("does not run away on %s", (_, text) => {
    // Work that grows with the square of the text would not end within the test's own limit.
    expect(() => repairJson(text, { schema: { enum: ["x"] } })).not.toThrow();
  });

  it("is not spent on an answer beyond two million characters", () => {
    expect(repairJson(`{${" ".repeat(2_000_001)}`)).toMatchObject({ ok: false });
  });
});

describe("a text that can be read in two ways", () => {
  it.each([
    ["a bracket that may close too much", '{"a":{"b":{"c":1}},"d":2}},"e":3}'],
    ["an end quote twice", '{"a":"x"","b":1}'],
    ["a value left out", '{"a": },"b":1}'],
    ["a comma twice", '{"a":[1,,2]}'],
    ["a semicolon for a comma", '{"a":1;"b":2}'],
    ["an opening brace left out", '"a":{"b":1},"c":[2]}'],
    ["a key without its end quote", '{"a:1,"b":2}'],
  ])("is refused where no schema decides: %s", (_, text) => {
    expect(repairJson(text).ok).toBe(false);
  });

  it.each([
    ['{"a": "x", b: "y"}', { a: "x", b: "y" }],
    ["{\"a\": 'x', b: 'y'}", { a: "x", b: "y" }],
    ['{"a": "x", b: 1}', { a: "x", b: 1 }],
    ['{"a":"foo",b":"bar"}', { a: "foo", b: "bar" }],
    ['{"key": ""value"}', { key: "value" }],
    ['Hi {{name}\n{"a":"x"}', { a: "x" }],
    ['"the list [1, 2"] more"', 'the list [1, 2"] more'],
    ['["abc+/*comment*/"def"]', ["abcdef"]],
    ['["abc/*comment*/+"def"]', ["abcdef"]],
    ['{"a":"x\u0000y\u001fz"}', { a: "x\u0000y\u001fz" }],
    [String.raw`{"a":"\uGGGG and \s"}`, { a: String.raw`\uGGGG and \s` }],
  ])("is served where one reading is plain: %j", (text, value) => {
    expect(repairedValue(text)).toEqual(value);
    expect(repaired(text).completed).toBe(true);
  });
});
