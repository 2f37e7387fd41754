import { describe, expect, it } from "vitest";
import { wellFormedJson } from "../../../src/json/well-formed-json.ts";
import { sentTo } from "../../support/wire/encoded-request.ts";

const chat = (messages: readonly object[], more: object = {}) => ({ model: "r", messages, ...more });
const native = (messages: readonly object[], more: object = {}) => ({ ...chat(messages, more), max_tokens: 99 });
const call = (id: string) => ({ id, type: "function", function: { name: "f", arguments: "{}" } });

describe("ids of tool calls in another provider's history", () => {
  const FOREIGN = ["functions.Bash:0", "call_20characterslong", "toolu_01A09q90qw90lq917835lq9", "x".repeat(90)];
  const asChat = chat([
    { role: "user", content: "go" },
    { role: "assistant", content: null, tool_calls: FOREIGN.map(call) },
    ...FOREIGN.map((tool_call_id) => ({ role: "tool", tool_call_id, content: "done" })),
  ]);
  const asMessages = native([
    { role: "user", content: "go" },
    { role: "assistant", content: FOREIGN.map((id) => ({ type: "tool_use", id, name: "f", input: {} })) },
    { role: "user", content: FOREIGN.map((tool_use_id) => ({ type: "tool_result", tool_use_id, content: "done" })) },
  ]);
  const asResponses = {
    model: "r",
    input: [
      { role: "user", content: "go" },
      ...FOREIGN.map((call_id) => ({ type: "function_call", call_id, name: "f", arguments: "{}" })),
      ...FOREIGN.map((call_id) => ({ type: "function_call_output", call_id, output: "done" })),
    ],
  };
  // biome-ignore lint/suspicious/noExplicitAny: bodies of three APIs are looked into
  const idsOf = (body: any): [calls: string[], results: string[]] => {
    const items = (body.messages ?? body.input).flatMap((one: { content?: unknown }) =>
      Array.isArray(one.content) ? [one, ...one.content] : [one],
    );
    // biome-ignore lint/suspicious/noExplicitAny: as above
    const ids = (pick: (item: any) => unknown) => items.flatMap(pick).filter((id: unknown) => typeof id === "string");
    return [
      ids(
        (item) =>
          item.tool_calls?.map(({ id }: { id: string }) => id) ??
          (item.type === "tool_use" ? item.id : item.type === "function_call" ? item.call_id : []),
      ),
      ids(
        (item) => item.tool_call_id ?? item.tool_use_id ?? (item.type === "function_call_output" ? item.call_id : []),
      ),
    ];
  };

  it.each([
    ["mistral/mistral-large", /^[A-Za-z0-9]{9}$/],
    ["openai/gpt-4.1", /^.{1,40}$/],
    ["anthropic/claude-haiku-4-5", /^[A-Za-z0-9_-]{1,64}$/],
    ["responses/gpt-4.1", /^.{1,64}$/],
    ["chat/kimi-k2", /^.+$/],
  ])("become ids that %s takes, the same for a call and its result, every time", (candidate, taken) => {
    for (const [client, body] of [
      ["openai-chat", asChat],
      ["anthropic-messages", asMessages],
      ["openai-responses", asResponses],
    ] as const) {
      const sent = sentTo(client, body, candidate).body;
      const [calls, results] = idsOf(sent);
      expect(calls).toEqual(results);
      expect(new Set(calls).size).toBe(FOREIGN.length);
      for (const id of calls) expect(id).toMatch(taken);
      expect(sentTo(client, body, candidate).body).toEqual(sent);
    }
  });

  it("stay as they are where they are taken", () => {
    const own = chat([
      { role: "assistant", tool_calls: [call("call_a1")] },
      { role: "tool", tool_call_id: "call_a1", content: "x" },
    ]);
    for (const candidate of ["openai/gpt-4.1", "anthropic/claude-haiku-4-5", "chat/m"])
      expect(JSON.stringify(sentTo("openai-chat", own, candidate).body)).toContain('"call_a1"');
  });
});

describe("blank text towards Anthropic", () => {
  const messages = [
    {
      role: "user",
      content: [
        { type: "text", text: "  \n" },
        { type: "text", text: "hi" },
      ],
    },
    { role: "assistant", content: [{ type: "text", text: "\n\n" }] },
    { role: "user", content: "   " },
    { role: "assistant", content: "The answer is: \n" },
  ];

  it("is left out, and the end of an answer to be gone on with is trimmed, whoever wrote it", () => {
    const system = [{ type: "text", text: " " }];
    for (const sent of [
      sentTo("openai-chat", chat([{ role: "system", content: " " }, ...messages]), "anthropic/claude-haiku-4-5"),
      sentTo("anthropic-messages", native(messages, { system }), "anthropic/claude-haiku-4-5"),
    ]) {
      expect(sent.body.system).toBeUndefined();
      const said = sent.body.messages.map(
        ({ role, content }: { role: string; content: string | { text: string }[] }) => [
          role,
          typeof content === "string" ? content : content.map(({ text }) => text).join(),
        ],
      );
      expect(said).toEqual([
        ["user", "hi"],
        ["assistant", "The answer is:"],
      ]);
    }
  });

  it("of a tool's result is left out with it kept", () => {
    const result = { type: "tool_result", tool_use_id: "a", content: [{ type: "text", text: " " }] };
    const asked = { role: "assistant", content: [{ type: "tool_use", id: "a", name: "f", input: {} }] };
    const body = native([{ role: "user", content: "x" }, asked, { role: "user", content: [result] }]);
    expect(sentTo("anthropic-messages", body, "anthropic/claude-haiku-4-5").body.messages[2].content).toEqual([
      { ...result, content: [] },
    ]);
  });

  it("is the client's to mend where there is nothing else, and hands its breakpoint on where there is", () => {
    const only = native([{ role: "user", content: " " }]);
    expect(sentTo("anthropic-messages", only, "anthropic/claude-haiku-4-5").body.messages).toHaveLength(1);
    const cache_control = { type: "ephemeral" };
    const marked = native([
      {
        role: "user",
        content: [
          { type: "text", text: "a" },
          { type: "text", text: "", cache_control },
        ],
      },
    ]);
    expect(sentTo("anthropic-messages", marked, "anthropic/claude-haiku-4-5").body.messages[0].content).toEqual([
      { type: "text", text: "a", cache_control },
    ]);
  });
});

describe("half a surrogate pair", () => {
  it.each([
    ["\ud83d", "\ufffd"],
    ["a\ude00b", "a\ufffdb"],
    ["🙂", "🙂"],
    ["\\ud83d", "\\ud83d"],
    ["\\\ud83d", "\\\ufffd"],
    ["\ud83d\ud83d\ude00", "\ufffd😀"],
  ])("%j goes out as %j, in values and names", (text, sent) => {
    expect(JSON.parse(wellFormedJson({ [text]: [text] }))).toEqual({ [sent]: [sent] });
    expect(wellFormedJson({ [text]: text })).not.toMatch(/[^\\](\\\\)*\\ud/i);
  });
});

describe("cache breakpoints", () => {
  const cache_control = { type: "ephemeral" };
  const marked = native(
    [
      {
        role: "user",
        content: [
          { type: "text", text: "long", cache_control },
          { type: "text", text: "q" },
        ],
      },
    ],
    {
      system: [{ type: "text", text: "s", cache_control: { type: "ephemeral", ttl: "1h" } }],
    },
  );

  it("reach OpenRouter, which honours them", () => {
    const { body, fields } = sentTo("anthropic-messages", marked, "openrouter/anthropic/claude-sonnet-4.5");
    expect(body.messages).toEqual([
      { role: "system", content: [{ type: "text", text: "s", cache_control: { type: "ephemeral", ttl: "1h" } }] },
      {
        role: "user",
        content: [
          { type: "text", text: "long", cache_control },
          { type: "text", text: "q" },
        ],
      },
    ]);
    expect(fields).toEqual([]);
  });

  it.each(["openai/gpt-4.1", "chat/m", "responses/gpt-4.1", "gemini/gemini-2.5-flash"])(
    "are named as dropped towards %s",
    (candidate) => {
      expect(sentTo("anthropic-messages", marked, candidate).fields).toEqual(["cache_control"]);
      expect(
        sentTo("anthropic-messages", native([{ role: "user", content: "x" }], { cache_control }), candidate).fields,
      ).toEqual(["cache_control"]);
    },
  );

  it("on a chat message itself stand behind its last part", () => {
    const body = chat([
      { role: "system", content: "s", cache_control },
      { role: "user", content: "x", cache_control },
    ]);
    const { body: sent, fields } = sentTo("openai-chat", body, "anthropic/claude-haiku-4-5");
    expect(sent.system).toEqual([{ type: "text", text: "s", cache_control: { type: "ephemeral", ttl: "5m" } }]);
    expect(sent.messages[0].content[0].cache_control).toEqual({ type: "ephemeral", ttl: "5m" });
    expect(fields).toEqual([]);
    expect(sentTo("openai-chat", body, "mistral/m")).toMatchObject({
      fields: ["cache_control"],
      body: chat(
        [
          { role: "system", content: "s" },
          { role: "user", content: "x" },
        ],
        { model: "m" },
      ),
    });
  });
});
