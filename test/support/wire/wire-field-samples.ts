/** One sample of every request field of each client dialect, laid over a small request of that dialect. */
import type { ClientDialect } from "./encoded-request.ts";

type Body = Readonly<Record<string, unknown>>;

/** `body` is what the request holds more; `over`, where the field needs company, what both requests hold. */
export interface FieldSample {
  readonly field: string;
  readonly body: Body;
  readonly over?: Body;
}

const user = (content: unknown) => [{ role: "user", content }];
const PNG = "iVBORw0KGgoAAAANSUhEUgAAAAE=";
const SCHEMA = { type: "object", properties: { a: { type: "string" } }, required: ["a"], additionalProperties: false };
const scalar = (field: string, value: unknown): FieldSample => ({ field, body: { [field]: value } });

const chatTool = (more: object = {}) => ({ type: "function", function: { name: "f", parameters: SCHEMA, ...more } });
const chatTools = { tools: [chatTool()] };
const chatTurn = (more: object) => ({
  messages: [...user("x"), { role: "assistant", content: "a", ...more }, ...user("y")],
});
const chatCalls = [{ id: "call_1", type: "function", function: { name: "f", arguments: "{}" } }];

const CHAT: readonly FieldSample[] = [
  ...["max_tokens", "max_completion_tokens"].map((field) => scalar(field, 50)),
  ...["temperature", "top_p", "presence_penalty", "frequency_penalty"].map((field) => scalar(field, 0.5)),
  scalar("top_k", 5),
  scalar("stop", ["END"]),
  scalar("seed", 7),
  scalar("n", 2),
  scalar("logprobs", true),
  { field: "top_logprobs", body: { top_logprobs: 2 } },
  scalar("logit_bias", { "17": 1 }),
  scalar("reasoning_effort", "low"),
  scalar("verbosity", "low"),
  scalar("service_tier", "flex"),
  scalar("user", "u"),
  scalar("metadata", { a: "b" }),
  scalar("store", true),
  scalar("stream", true),
  { field: "stream_options", over: { stream: true }, body: { stream_options: { include_obfuscation: false } } },
  scalar("prediction", { type: "content", content: "x" }),
  scalar("prompt_cache_key", "k"),
  scalar("prompt_cache_retention", "24h"),
  scalar("safety_identifier", "s"),
  scalar("modalities", ["text", "audio"]),
  scalar("audio", { voice: "alloy", format: "mp3" }),
  scalar("web_search_options", {}),
  scalar("response_format: json_object", undefined),
  scalar("response_format: json_schema", undefined),
  { field: "tools: function", body: chatTools },
  { field: "tools: function, strict", body: { tools: [chatTool({ strict: true })] }, over: chatTools },
  { field: "tools: custom", body: { tools: [{ type: "custom", custom: { name: "p" } }] } },
  { field: "tool_choice: required", over: chatTools, body: { tool_choice: "required" } },
  {
    field: "tool_choice: function",
    over: chatTools,
    body: { tool_choice: { type: "function", function: { name: "f" } } },
  },
  {
    field: "tool_choice: allowed_tools",
    over: chatTools,
    body: { tool_choice: { type: "allowed_tools", allowed_tools: { mode: "auto", tools: [] } } },
  },
  { field: "parallel_tool_calls", over: chatTools, body: { parallel_tool_calls: false } },
  { field: "functions", body: { functions: [{ name: "f", parameters: SCHEMA }] } },
  { field: "messages: system", body: { messages: [{ role: "system", content: "s" }, ...user("x")] } },
  { field: "messages: developer", body: { messages: [{ role: "developer", content: "s" }, ...user("x")] } },
  { field: "messages[].name", body: { messages: [{ role: "user", name: "ann", content: "x" }] } },
  {
    field: "messages[].cache_control",
    body: { messages: [{ role: "user", content: "x", cache_control: { type: "ephemeral" } }] },
  },
  {
    field: "content: image_url",
    body: { messages: user([{ type: "image_url", image_url: { url: `data:image/png;base64,${PNG}` } }]) },
  },
  {
    field: "content: image_url.detail",
    over: { messages: user([{ type: "image_url", image_url: { url: "https://x.example/a.png" } }]) },
    body: { messages: user([{ type: "image_url", image_url: { url: "https://x.example/a.png", detail: "high" } }]) },
  },
  {
    field: "content: input_audio",
    body: { messages: user([{ type: "input_audio", input_audio: { data: "AAAA", format: "mp3" } }]) },
  },
  {
    field: "content: file",
    body: {
      messages: user([
        { type: "file", file: { filename: "a.pdf", file_data: "data:application/pdf;base64,JVBERi0=" } },
      ]),
    },
  },
  { field: "content: file_id", body: { messages: user([{ type: "file", file: { file_id: "file-1" } }]) } },
  { field: "messages: refusal", body: chatTurn({ content: null, refusal: "no" }), over: chatTurn({}) },
  { field: "messages: reasoning_content", body: chatTurn({ reasoning_content: "thought" }), over: chatTurn({}) },
  {
    field: "messages: tool_calls and tool",
    body: {
      ...chatTools,
      messages: [
        ...user("x"),
        { role: "assistant", content: null, tool_calls: chatCalls },
        { role: "tool", tool_call_id: "call_1", content: "r" },
      ],
    },
    over: chatTools,
  },
  scalar("a field unknown here", undefined),
].map((sample) => {
  if (sample.field === "response_format: json_object")
    return { ...sample, body: { response_format: { type: "json_object" } } };
  if (sample.field === "response_format: json_schema")
    return {
      ...sample,
      body: { response_format: { type: "json_schema", json_schema: { name: "o", schema: SCHEMA, strict: true } } },
    };
  return sample.field === "a field unknown here" ? { ...sample, body: { x_own: 1 } } : sample;
});

const anthropicTool = (more: object = {}) => ({ name: "f", input_schema: SCHEMA, ...more });
const anthropicTools = { tools: [anthropicTool()] };
const pdf = { type: "base64", media_type: "application/pdf", data: "JVBERi0=" };
const turn = (...content: readonly object[]) => ({
  messages: [...user("x"), { role: "assistant", content }, ...user("y")],
});
const said = { type: "text", text: "a" };

const MESSAGES: readonly FieldSample[] = [
  scalar("temperature", 0.5),
  scalar("top_p", 0.5),
  scalar("top_k", 5),
  scalar("stop_sequences", ["END"]),
  scalar("stream", true),
  scalar("system", "s"),
  {
    field: "system[].cache_control",
    over: { system: [{ type: "text", text: "s" }] },
    body: { system: [{ type: "text", text: "s", cache_control: { type: "ephemeral" } }] },
  },
  scalar("thinking", { type: "enabled", budget_tokens: 2_000 }),
  { field: "output_config.effort", body: { output_config: { effort: "low" } } },
  { field: "output_config.format", body: { output_config: { format: { type: "json_schema", schema: SCHEMA } } } },
  { field: "output_config.task_budget", body: { output_config: { task_budget: { type: "tokens", total: 9 } } } },
  scalar("service_tier", "standard_only"),
  { field: "metadata.user_id", body: { metadata: { user_id: "u" } } },
  scalar("cache_control", { type: "ephemeral" }),
  scalar("container", "c"),
  scalar("mcp_servers", [{ type: "url", url: "https://x.example", name: "m" }]),
  scalar("context_management", { edits: [] }),
  scalar("inference_geo", "us"),
  scalar("speed", "fast"),
  scalar("thread", { type: "create" }),
  scalar("diagnostics", { previous_message_id: "m" }),
  { field: "tools: custom", body: anthropicTools },
  { field: "tools[].strict", over: anthropicTools, body: { tools: [anthropicTool({ strict: true })] } },
  { field: "tools[].defer_loading", over: anthropicTools, body: { tools: [anthropicTool({ defer_loading: true })] } },
  { field: "tools: web_search", body: { tools: [{ type: "web_search_20250305", name: "web_search" }] } },
  {
    field: "tools: web_search beside others",
    over: anthropicTools,
    body: { tools: [anthropicTool(), { type: "web_search_20250305", name: "web_search" }] },
  },
  { field: "tool_choice: any", over: anthropicTools, body: { tool_choice: { type: "any" } } },
  { field: "tool_choice: tool", over: anthropicTools, body: { tool_choice: { type: "tool", name: "f" } } },
  {
    field: "tool_choice.disable_parallel_tool_use",
    over: { ...anthropicTools, tool_choice: { type: "auto" } },
    body: { tool_choice: { type: "auto", disable_parallel_tool_use: true } },
  },
  { field: "messages: system", body: { messages: [{ role: "system", content: "s" }, ...user("x")] } },
  {
    field: "content: image",
    body: { messages: user([{ type: "image", source: { type: "base64", media_type: "image/png", data: PNG } }]) },
  },
  { field: "content: document", body: { messages: user([{ type: "document", source: pdf }]) } },
  {
    field: "content: document.citations",
    over: { messages: user([{ type: "document", source: pdf }]) },
    body: { messages: user([{ type: "document", source: pdf, citations: { enabled: true } }]) },
  },
  {
    field: "content: search_result",
    body: { messages: user([{ type: "search_result", source: "s", title: "t", content: [said] }, said]) },
  },
  {
    field: "content: thinking, signed",
    over: turn(said),
    body: turn({ type: "thinking", thinking: "t", signature: "s" }, said),
  },
  { field: "content: redacted_thinking", over: turn(said), body: turn({ type: "redacted_thinking", data: "d" }, said) },
  {
    field: "content: tool_use and tool_result",
    over: anthropicTools,
    body: {
      messages: [
        ...user("x"),
        { role: "assistant", content: [{ type: "tool_use", id: "t1", name: "f", input: {} }] },
        { role: "user", content: [{ type: "tool_result", tool_use_id: "t1", content: "r" }] },
      ],
    },
  },
  { field: "a field unknown here", body: { x_own: 1 } },
];

const responsesTool = (more: object = {}) => ({
  type: "function",
  name: "f",
  parameters: SCHEMA,
  strict: false,
  ...more,
});
const responsesTools = { tools: [responsesTool()] };
const items = (...more: readonly object[]) => ({ input: [{ role: "user", content: "x" }, ...more] });

const RESPONSES: readonly FieldSample[] = [
  scalar("max_output_tokens", 50),
  scalar("temperature", 0.5),
  scalar("top_p", 0.5),
  scalar("top_logprobs", 2),
  scalar("stream", true),
  scalar("instructions", "s"),
  { field: "reasoning.effort", body: { reasoning: { effort: "low" } } },
  {
    field: "reasoning.summary",
    over: { reasoning: { effort: "low" } },
    body: { reasoning: { effort: "low", summary: "auto" } },
  },
  { field: "text.format: json_object", body: { text: { format: { type: "json_object" } } } },
  {
    field: "text.format: json_schema",
    body: { text: { format: { type: "json_schema", name: "o", schema: SCHEMA, strict: true } } },
  },
  { field: "text.verbosity", body: { text: { verbosity: "low" } } },
  scalar("service_tier", "flex"),
  scalar("user", "u"),
  scalar("metadata", { a: "b" }),
  scalar("store", true),
  scalar("include", ["reasoning.encrypted_content"]),
  scalar("truncation", "auto"),
  scalar("max_tool_calls", 3),
  scalar("prompt_cache_key", "k"),
  scalar("safety_identifier", "s"),
  scalar("background", true),
  scalar("previous_response_id", "resp_1"),
  scalar("conversation", "conv_1"),
  scalar("prompt", { id: "p" }),
  { field: "tools: function", body: responsesTools },
  { field: "tools: function, strict", over: responsesTools, body: { tools: [responsesTool({ strict: true })] } },
  { field: "tools: custom", body: { tools: [{ type: "custom", name: "p" }] } },
  {
    field: "tools: namespace",
    body: { tools: [{ type: "namespace", name: "n", description: "d", tools: [responsesTool()] }] },
  },
  { field: "tools: web_search", body: { tools: [{ type: "web_search" }] } },
  {
    field: "tools: web_search beside others",
    over: responsesTools,
    body: { tools: [responsesTool(), { type: "web_search" }] },
  },
  { field: "tools: shell beside others", over: responsesTools, body: { tools: [responsesTool(), { type: "shell" }] } },
  { field: "tool_choice: required", over: responsesTools, body: { tool_choice: "required" } },
  { field: "tool_choice: function", over: responsesTools, body: { tool_choice: { type: "function", name: "f" } } },
  {
    field: "tool_choice: allowed_tools",
    over: responsesTools,
    body: { tool_choice: { type: "allowed_tools", mode: "auto", tools: [] } },
  },
  { field: "parallel_tool_calls", over: responsesTools, body: { parallel_tool_calls: false } },
  {
    field: "input: system",
    body: {
      input: [
        { role: "system", content: "s" },
        { role: "user", content: "x" },
      ],
    },
  },
  {
    field: "input: input_image",
    body: { input: user([{ type: "input_image", image_url: `data:image/png;base64,${PNG}` }]) },
  },
  {
    field: "input: input_file",
    body: {
      input: user([{ type: "input_file", filename: "a.pdf", file_data: "data:application/pdf;base64,JVBERi0=" }]),
    },
  },
  { field: "input: file_id", body: { input: user([{ type: "input_file", file_id: "file-1" }]) } },
  {
    field: "input: reasoning, encrypted",
    over: items(),
    body: items({ type: "reasoning", id: "rs_1", summary: [], encrypted_content: "e" }),
  },
  {
    field: "input: function_call and output",
    over: responsesTools,
    body: items(
      { type: "function_call", call_id: "c", name: "f", arguments: "{}" },
      { type: "function_call_output", call_id: "c", output: "r" },
    ),
  },
  {
    field: "input: custom_tool_call and output",
    body: items(
      { type: "custom_tool_call", call_id: "c", name: "p", input: "t" },
      { type: "custom_tool_call_output", call_id: "c", output: "r" },
    ),
  },
  { field: "input: item_reference", over: items(), body: items({ type: "item_reference", id: "msg_1" }) },
  {
    field: "input: web_search_call",
    over: items(),
    body: items({ type: "web_search_call", id: "ws_1", status: "completed" }),
  },
  { field: "a field unknown here", body: { x_own: 1 } },
];

export const FIELD_SAMPLES: Readonly<
  Record<ClientDialect, { readonly base: Body; readonly fields: readonly FieldSample[] }>
> = {
  "openai-chat": { base: { model: "r", messages: user("x") }, fields: CHAT },
  "openai-responses": { base: { model: "r", input: user("x") }, fields: RESPONSES },
  "anthropic-messages": { base: { model: "r", max_tokens: 9_000, messages: user("x") }, fields: MESSAGES },
};
