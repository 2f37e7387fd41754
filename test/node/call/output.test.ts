import { describe, expect, it } from "vitest";
import { judge } from "../../../src/call/output.ts";
import type { ChatAnswer } from "../../../src/wire/chat.ts";

const answering = (text: string): ChatAnswer => ({
  choices: [{ index: 0, content: [{ type: "text", text }], finish: { unified: "stop", raw: "stop" } }],
});
const RULE = { name: "answer", schema: { type: "object" }, ladder: ["native_strict", "syntax_repair"] } as const;
const members = (count: number) =>
  JSON.stringify(Object.fromEntries(Array.from({ length: count }, (_, at) => [`k${at}`, 1])));

describe("an answer with very many members", () => {
  it("is judged by its schema up to the limit", () => {
    expect(judge(answering(members(50_000)), RULE, "native_strict", true)).toMatchObject({
      ok: true,
      conformant: true,
    });
  });

  it("breaks it above, and is not parsed for that", () => {
    const verdict = judge(answering(members(50_001)), RULE, "native_strict", true);
    expect(verdict).toMatchObject({
      ok: false,
      failure: { class: "content_invalid", reason: "schema_violation" },
      faults: ["/: has more than 50000 members in one object, or 500000 in all"],
    });
  });
});
