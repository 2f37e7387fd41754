import { describe, expect, it } from "vitest";
import { findJson, withoutReasoning } from "../../../src/json/repair/extract.ts";

const sources = (body: string) => findJson(body).map(({ source }) => source);

describe("JSON in a model's text", () => {
  it.each([
    ["bare", '{"a":1}', ['{"a":1}']],
    ["among prose", 'Sure! {"a":1} Anything else?', ['{"a":1}']],
    ["in a fence", 'Here:\n```json\n{"a":1}\n```\nDone.', ['{"a":1}']],
    ["in a fence without a closing one", "```\n[1,2]\n", ["[1,2]"]],
    ["several times", '{"a":1} or rather {"a":2}', ['{"a":1}', '{"a":2}']],
    ["that nests, as one", '{"a":{"b":[{}]}} end', ['{"a":{"b":[{}]}}']],
  ])("is found %s", (_, body, expected) => {
    expect(sources(body)).toEqual(expected);
  });

  it("is not what merely stands in brackets", () => {
    expect(sources("See [Smith et al.] and {name}, for x in [0, 1) or {}.")).toEqual(["{}"]);
  });

  it("keeps a fence inside its strings", () => {
    const document = '{"text":"```mermaid\\nA --> B\\n```","n":1}';
    expect(sources(document)).toEqual([document]);
  });

  it("ends where its structure ends, although quotes inside strings are not escaped", () => {
    const document = '{"say":"she said "no", twice","n":1}';
    expect(sources(`${document} That is all.`)).toEqual([document]);
  });

  it("is marked where the text stops inside it, and where it stood behind a fence", () => {
    expect(findJson('x ```json\n{"a":[1,')).toMatchObject([{ completed: false, fenced: true }]);
    expect(findJson('x {"a":1}')).toMatchObject([{ completed: true, fenced: false }]);
  });
});

describe("reasoning written into the text", () => {
  it.each([
    ['<think>maybe {"a":0}</think>{"a":1}', '{"a":1}'],
    ["<thinking>x</thinking>\n<reflection>y</reflection> z", " z"],
    ["the template opened it</think>answer", "answer"],
    ['<think>and never stopped {"a":1}', ""],
    ['{"tag":"</think>"}', '{"tag":"</think>"}'],
  ])("%j leaves %j", (text, expected) => {
    expect(withoutReasoning(text)).toBe(expected);
  });
});
