import { describe, expect, it } from "vitest";
import type { ChatRequest } from "../../../src/wire/chat.ts";
import { clientToolsFor, upstreamDialect } from "../../../src/wire/dialects.ts";
import { withClientCalls } from "../../../src/wire/fit/client-calls.ts";
import type { StreamEvent } from "../../../src/wire/stream-event.ts";
import { encodedFor, sentTo, targetOf } from "../../support/wire/encoded-request.ts";

const PARAMETERS = { type: "object", properties: { to: { type: "string" } } };
const responses = (more: object) => ({ model: "r", input: [{ role: "user", content: "go" }], ...more });
const TOOLS = [
  { type: "function", name: "plain", parameters: PARAMETERS, strict: false },
  {
    type: "namespace",
    name: "mail",
    description: "Mail",
    tools: [
      { type: "function", name: "send", parameters: PARAMETERS },
      { type: "custom", name: "draft" },
    ],
  },
  {
    type: "custom",
    name: "apply_patch",
    description: "Edits files",
    format: { type: "grammar", syntax: "lark", definition: "start: X" },
  },
];
const HISTORY = [
  { role: "user", content: "go" },
  { type: "function_call", call_id: "c1", name: "send", namespace: "mail", arguments: '{"to":"a"}' },
  { type: "custom_tool_call", call_id: "c2", name: "apply_patch", input: '*** "Begin"' },
  { type: "function_call_output", call_id: "c1", output: "sent" },
  { type: "custom_tool_call_output", call_id: "c2", output: "done" },
];

describe("tools in namespaces and tools of free text", () => {
  it.each(["chat/m", "anthropic/claude-haiku-4-5", "gemini/gemini-2.5-flash", "openai/gpt-4.1"])(
    "are functions at %s, with their history",
    (candidate) => {
      const { body, fields } = sentTo("openai-responses", responses({ tools: TOOLS, input: HISTORY }), candidate);
      const text = JSON.stringify(body);
      for (const name of ["plain", "mail__send", "mail__draft", "apply_patch"])
        expect(text).toContain(`"name":"${name}"`);
      expect(text).toContain("start: X");
      expect(text).not.toContain('"custom"');
      const input =
        candidate.startsWith("anthropic") || candidate.startsWith("gemini")
          ? '{"input":"*** \\"Begin\\""}'
          : JSON.stringify(JSON.stringify({ input: '*** "Begin"' }));
      expect(text).toContain(input);
      expect(fields).toEqual([]);
    },
  );

  it("reach an upstream of the client's own dialect as they are", () => {
    expect(
      sentTo("openai-responses", responses({ tools: TOOLS, input: HISTORY }), "responses/gpt-5").body,
    ).toMatchObject({
      tools: TOOLS,
      input: HISTORY,
    });
    const custom = { type: "custom", custom: { name: "p" } };
    const chat = { model: "r", messages: [{ role: "user", content: "x" }], tools: [custom], tool_choice: custom };
    expect(sentTo("openai-chat", chat, "openai/gpt-5").body).toMatchObject({ tools: [custom], tool_choice: custom });
    expect(sentTo("openai-chat", chat, "mistral/m").body).toMatchObject({
      tools: [{ type: "function", function: { name: "p" } }],
      tool_choice: { type: "function", function: { name: "p" } },
    });
  });

  it("keep distinct names that all dialects take", () => {
    const tools = [
      { type: "function", name: "a__b" },
      {
        type: "namespace",
        name: "a",
        tools: [
          { type: "function", name: "b" },
          { type: "function", name: "ü.ü" },
        ],
      },
      {
        type: "namespace",
        name: "n".repeat(60),
        tools: [
          { type: "function", name: "long" },
          { type: "function", name: "longer" },
        ],
      },
    ];
    const { body } = sentTo("openai-responses", responses({ tools }), "chat/m");
    const names = body.tools.map(({ function: { name } }: { function: { name: string } }) => name);
    expect(new Set(names).size).toBe(5);
    for (const name of names) expect(name).toMatch(/^[A-Za-z0-9_-]{1,64}$/);
  });

  const toolsFor = (body: object) => {
    const { request } = sentTo("openai-responses", responses(body), "chat/m");
    return clientToolsFor("openai-chat", request as ChatRequest, targetOf("chat", "m")).tools;
  };

  it("come back as the client's own calls from a whole answer", () => {
    const call = (name: string, text: string) => ({ type: "tool-call", id: "x", name, arguments: text }) as const;
    const content = [
      call("mail__send", "{}"),
      call("apply_patch", '{"input":"a\\nb"}'),
      call("mail__draft", "bare"),
      call("plain", "{}"),
    ];
    const answer = { choices: [{ index: 0, content, finish: { unified: "tool-calls", raw: undefined } as const }] };
    expect(withClientCalls(answer, toolsFor({ tools: TOOLS })).choices[0]?.content).toEqual([
      { ...call("send", "{}"), namespace: "mail" },
      { ...call("apply_patch", "a\nb"), custom: true },
      { ...call("draft", "bare"), namespace: "mail", custom: true },
      call("plain", "{}"),
    ]);
  });

  it("come back from a stream, however its pieces are cut", () => {
    const chunk = (delta: object, finish_reason: string | null = null) =>
      JSON.stringify({ id: "a", choices: [{ index: 0, delta, finish_reason }] });
    const piece = (index: number, fields: object, id?: string) =>
      chunk({ tool_calls: [{ index, ...(id && { id, type: "function" }), function: fields }] });
    const decoder = upstreamDialect("openai-chat").streamDecoder({
      ...targetOf("chat", "m"),
      clientTools: toolsFor({ tools: TOOLS }),
    });
    const events: StreamEvent[] = [
      piece(0, { name: "apply_patch", arguments: "" }, "c0"),
      ...[...'{"input":"a\\u00fcb"}'].map((arguments_) => piece(0, { arguments: arguments_ })),
      piece(1, { name: "mail__send", arguments: '{"to":1}' }, "c1"),
      chunk({}, "tool_calls"),
      "[DONE]",
    ].flatMap((data) => decoder.decode({ data }).events);
    const said = events.filter(({ type }) => type.startsWith("tool-call"));
    expect(said).toMatchObject([
      { type: "tool-call-start", index: 0, name: "apply_patch", custom: true },
      { type: "tool-call-start", index: 1, name: "send", namespace: "mail" },
      { type: "tool-call-delta", index: 1, arguments: '{"to":1}' },
      { type: "tool-call-delta", index: 0, arguments: "aüb" },
    ]);
  });
});

describe("tools that only a provider can run", () => {
  const search = { type: "web_search" };
  const [plain] = TOOLS;

  it.each([
    [{ tools: [search] }, "tools[0]"],
    [{ tools: [plain, search], tool_choice: "required" }, "tools[1]"],
    [{ tools: [plain, search], tool_choice: { type: "web_search" } }, "tool_choice"],
  ])("are refused where the answer depends on them: %j", (body, param) => {
    for (const candidate of ["chat/m", "anthropic/claude-haiku-4-5", "gemini/gemini-2.5-flash"])
      expect(encodedFor("openai-responses", responses(body), candidate)).toMatchObject({ ok: false, param });
  });

  it("are named as dropped where other tools are left, or none is to be called", () => {
    for (const body of [{ tools: [plain, search] }, { tools: [search], tool_choice: "none" }])
      expect(sentTo("openai-responses", responses(body), "chat/m").fields).toEqual([
        body.tools.length > 1 ? "tools[1]" : "tools[0]",
      ]);
  });

  it.each([
    ["openai-chat", { messages: [{ role: "user", content: "x" }], web_search_options: {} }, "web_search_options"],
    ["openai-chat", { messages: [{ role: "user", content: "x" }], modalities: ["text", "audio"] }, "modalities"],
    ["openai-chat", { messages: [{ role: "user", content: "x" }], logprobs: true }, "logprobs"],
    [
      "anthropic-messages",
      { messages: [{ role: "user", content: "x" }], max_tokens: 9, mcp_servers: [{ url: "x" }] },
      "mcp_servers",
    ],
  ] as const)("so is, from %s, %j", (client, body, param) => {
    const candidate = client === "openai-chat" ? "anthropic/claude-haiku-4-5" : "chat/m";
    expect(encodedFor(client, { model: "r", ...body }, candidate)).toMatchObject({ ok: false, param });
  });
});

describe("what refers to state that is not kept here", () => {
  it.each([
    [{ previous_response_id: "resp_1" }, "previous_response_id", "store: false"],
    [{ conversation: "conv_1" }, "conversation", "store: false"],
    [{ background: true }, "background", "background: false"],
    [{ input: [{ type: "item_reference", id: "msg_1" }] }, "input.0", "store: false"],
  ])("%j is refused with the client's own setting", (body, param, setting) => {
    const refused = encodedFor("openai-responses", responses(body), "responses/gpt-5");
    expect(refused).toMatchObject({ ok: false, param, message: expect.stringContaining(setting) });
  });
});
