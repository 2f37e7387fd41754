import { describe, expect, it } from "vitest";
import type { Capture } from "../../../src/capture/capture.ts";
import { redactor } from "../../../src/capture/redact.ts";

const capture = (parts: Partial<Capture>): Capture => ({
  id: "cap_1",
  at: 0,
  payload: { kind: "variables", variables: {} },
  inferenceId: undefined,
  route: "r",
  variant: undefined,
  output: undefined,
  outcome: "answered",
  served: undefined,
  tags: {},
  ...parts,
});

const variables = (value: Record<string, unknown>) => capture({ payload: { kind: "variables", variables: value } });
const content = ({ payload }: Capture) => (payload.kind === "variables" ? payload.variables : payload.request);

describe("redaction by path", () => {
  const customer = {
    name: "Ada",
    email: "ada@example.com",
    orders: [
      { card: "4111", n: 1 },
      { card: "4222", n: 2 },
    ],
  };

  for (const [path, expected] of [
    ["/customer/email", { customer: { ...customer, email: "[x]" } }],
    ["/customer/orders/1/card", { customer: { ...customer, orders: [customer.orders[0], { card: "[x]", n: 2 }] } }],
    [
      "/*/orders/*/n",
      {
        customer: {
          ...customer,
          orders: [
            { card: "4111", n: "[x]" },
            { card: "4222", n: "[x]" },
          ],
        },
      },
    ],
    ["/customer", { customer: "[x]" }],
    ["/nobody", { customer }],
    ["/customer/name/deeper", { customer }],
  ] as const) {
    it(`reads ${path}`, () => {
      expect(content(redactor([{ path, replace: "[x]" }])(variables({ customer })))).toEqual(expected);
    });
  }

  it("reads escaped steps", () => {
    const redact = redactor([{ path: "/a~1b/c~0d", replace: "[x]" }]);
    expect(content(redact(variables({ "a/b": { "c~d": 1 } })))).toEqual({ "a/b": { "c~d": "[x]" } });
  });

  it("reaches into captured messages", () => {
    const request = { messages: [{ role: "user", content: "private" }], user: "u1" };
    const redact = redactor([
      { path: "/user", replace: "[x]" },
      { path: "/messages/*/content", replace: "[y]" },
    ]);
    expect(content(redact(capture({ payload: { kind: "messages", request } })))).toEqual({
      messages: [{ role: "user", content: "[y]" }],
      user: "[x]",
    });
  });

  it("reaches into an output that is JSON, and leaves one that is not as it is", () => {
    const redact = redactor([{ path: "/summary", replace: "[x]" }]);
    expect(redact(capture({ output: '{"summary":"secret","ok":1}' })).output).toBe('{"summary":"[x]","ok":1}');
    expect(redact(capture({ output: "plain { text" })).output).toBe("plain { text");
    expect(redact(capture({ output: '{ "spacing":  1 }' })).output).toBe('{ "spacing":  1 }');
  });
});

describe("redaction by pattern", () => {
  it("replaces matches in nested variables, messages, output and tags", () => {
    const redact = redactor([{ regex: "\\b\\d{3}-\\d{2}-\\d{4}\\b", replace: "$1[redacted]" }]);
    const ssn = "id 123-45-6789.";
    const clean = "id $1[redacted].";
    expect(content(redact(variables({ deep: [{ note: ssn }] })))).toEqual({ deep: [{ note: clean }] });
    const request = { messages: [{ role: "user", content: [{ type: "text", text: ssn }] }] };
    expect(content(redact(capture({ payload: { kind: "messages", request } })))).toEqual({
      messages: [{ role: "user", content: [{ type: "text", text: clean }] }],
    });
    expect(redact(capture({ output: ssn, tags: { client: ssn } }))).toMatchObject({
      output: clean,
      tags: { client: clean },
    });
  });

  it("reaches the names of members, but not the places of a list", () => {
    const redact = redactor([{ regex: "\\S+@\\S+|^0$", replace: "[x]" }]);
    const held = { "a@b.example": { seen: ["0", "first"] }, kept: 1 };
    expect(content(redact(variables(held)))).toEqual({ "[x]": { seen: ["[x]", "first"] }, kept: 1 });
    const key = `sk-${"a1".repeat(12)}`;
    expect(JSON.stringify(redactor([])(variables({ [key]: true })))).not.toContain(key);
  });

  it("finds what JSON spells as escapes or writes as numbers, also in JSON that is kept as text", () => {
    const redact = redactor([
      { regex: "\\S+@example\\.com", replace: "[mail]" },
      { regex: "\\b4\\d{12,15}\\b", replace: "[card]" },
    ]);
    const escaped = '{"mail":"ada\\u0040example.com","card":4111111111111111,"n":2}';
    const clean = { mail: "[mail]", card: "[card]", n: 2 };
    const redacted = redact(capture({ output: escaped, payload: { kind: "variables", variables: { call: escaped } } }));
    expect(JSON.parse(redacted.output ?? "")).toEqual(clean);
    expect(JSON.parse(String(content(redacted)["call"]))).toEqual(clean);
    expect(content(redact(variables({ card: 4111111111111111, n: 2 })))).toEqual({ card: "[card]", n: 2 });
  });

  it("refuses a pattern that is no regular expression", () => {
    expect(() => redactor([{ regex: "(", replace: "" }])).toThrow(/capture\.redact/);
  });
});

describe("credentials", () => {
  const redact = redactor([]);
  for (const [kind, secret] of [
    ["an OpenAI key", `sk-proj-${"a1".repeat(20)}`],
    ["an Anthropic key", `sk-ant-api03-${"b2".repeat(20)}`],
    ["a modelrig key", `rig_sk_${"c3".repeat(16)}`],
    ["a Google key", `AIza${"d4".repeat(18)}`],
    ["a Groq key", `gsk_${"e5".repeat(16)}`],
    ["a GitHub token", `ghp_${"f6".repeat(18)}`],
    ["a Slack token", `xoxb-${"1234567890-".repeat(2)}abc`],
    ["an AWS key id", `AKIA${"ABCD".repeat(4)}`],
    ["a bearer header", `Bearer ${"g7".repeat(16)}`],
    ["a JWT", `eyJ${"h8".repeat(8)}.eyJ${"i9".repeat(8)}.${"j0".repeat(8)}`],
    ["a private key", "-----BEGIN RSA PRIVATE KEY-----\nMIIE\n-----END RSA PRIVATE KEY-----"],
  ] as const) {
    it(`never keeps ${kind}`, () => {
      const kept = redact(
        capture({ payload: { kind: "variables", variables: { log: `before ${secret} after` } }, output: secret }),
      );
      expect(JSON.stringify(kept)).not.toContain(secret.slice(8, 24));
      expect(content(kept)).toEqual({ log: "before [redacted] after" });
    });
  }

  it("leaves ordinary words alone", () => {
    const log = "skip risk-free task-oriented sk-learn and the bearer of news";
    expect(content(redact(variables({ log })))).toEqual({ log });
  });
});
