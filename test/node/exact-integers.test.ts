/** Integers above 2^53 keep every digit on their way, or are refused with what to do. */
import { mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { judge } from "../../src/call/output.ts";
import type { Capture } from "../../src/capture/capture.ts";
import { openCaptureStore } from "../../src/capture/capture-store.ts";
import { readImport } from "../../src/capture/import.ts";
import { redactor } from "../../src/capture/redact.ts";
import { parseExact } from "../../src/json/exact-numbers.ts";
import { canonicalJson } from "../../src/route/canonical.ts";
import { renderRequest } from "../../src/route/render.ts";
import { openaiChatIngress } from "../../src/wire/openai-chat/index.ts";

const ID = "2512292042121000001";
const variables = parseExact(`{"id":${ID},"list":[${ID}]}`) as Record<string, unknown>;

const captureOf = (payload: Capture["payload"]): Capture => ({
  id: "cap_1",
  at: 1,
  route: "a.route",
  variant: undefined,
  payload,
  inferenceId: undefined,
  output: `{"id":${ID},"secret":"x"}`,
  outcome: "answered",
  capabilities: undefined,
  served: undefined,
  tags: {},
});

describe("a capture", () => {
  it("is imported, stored and read back with every digit", () => {
    const line = `{"route":"a.route","variables":{"id":${ID}}}`;
    const store = openCaptureStore(join(mkdtempSync(join(tmpdir(), "modelrig-exact-")), "captures.db"));
    const target = { route: undefined, format: undefined, target: { hasTemplate: false }, now: 1 };
    for (const { capture } of readImport([{ name: "a", text: line }], target).captures) store.add(capture);
    const [kept] = store.list({ limit: 1 });
    store.close();
    expect(JSON.stringify(kept?.payload)).toContain(`"variables":{"id":${ID}}`);
  });

  it("keeps the other numbers where redaction changes a part of it", () => {
    const redact = redactor([{ path: "/secret", replace: "-" }]);
    const { output, payload } = redact(captureOf({ kind: "variables", variables }));
    expect(output).toBe(`{"id":${ID},"secret":"-"}`);
    expect(JSON.stringify(payload)).toContain(`{"id":${ID},"list":[${ID}]}`);
  });

  it("has such a number redacted where a path or a pattern finds it", () => {
    const byPath = redactor([{ path: "/list/*", replace: "-" }])(captureOf({ kind: "variables", variables }));
    expect(JSON.stringify(byPath.payload)).toContain(`{"id":${ID},"list":["-"]}`);
    const byPattern = redactor([{ regex: "^25122920", replace: "-" }])(captureOf({ kind: "variables", variables }));
    expect(JSON.stringify(byPattern.payload)).not.toContain(ID);
  });
});

describe("a route's variables", () => {
  it.each([
    ["printed", "{{ id }}", ID],
    ["joined", "{{ list | join: ',' }}", ID],
    ["written as JSON", "{{ list | json }}", `[${ID}]`],
  ])("are %s with every digit", (_, user, text) => {
    expect(renderRequest({ user }, undefined, variables, {})).toMatchObject({
      value: { messages: [{ content: [{ text }] }] },
    });
  });

  it("have another canonical text for another integer", () => {
    expect(canonicalJson(variables)).toBe(`{"id":${ID},"list":[${ID}]}`);
  });
});

describe("an answer under a schema", () => {
  it("keeps every digit where nulls for absent properties are taken back", () => {
    const schema = { type: "object", properties: { id: { type: "integer" }, note: { type: "string" } } };
    const choice = {
      content: [{ type: "text" as const, text: `{"id":${ID},"note":null}` }],
      finish: { unified: "stop" as const, raw: "stop" },
    };
    const answer = { id: "a", model: "m", choices: [choice], native: undefined };
    const verdict = judge(
      answer as never,
      { schema, ladder: ["native_strict"], name: "s" } as never,
      "native_strict",
      false,
    );
    expect(verdict).toMatchObject({
      ok: true,
      output: { id: Number(ID) },
      answer: { choices: [{ content: [{ text: `{"id":${ID}}` }] }] },
    });
  });
});

describe("a number of a chat request", () => {
  it.each(["seed", "temperature"])("%s above 2^53 is refused, naming the limit", (name) => {
    const body = parseExact(`{"model":"r","messages":[{"role":"user","content":"q"}],"${name}":${ID}}`);
    expect(openaiChatIngress.decodeRequest(body as Record<string, unknown>)).toMatchObject({
      ok: false,
      error: { class: "bad_request", param: name, message: expect.stringContaining("2^53") },
    });
  });
});
