/**
 * What recorded payloads of Anthropic, Gemini and the Responses API say, read by other and simpler code than the
 * dialects': the expectation that decoded answers are held against.
 */

// biome-ignore lint/suspicious/noExplicitAny: raw payloads are read without types, to stay independent of the decoders
type Json = any;

export interface Reading {
  text: string;
  reasoning: string;
  calls: { id: string | undefined; name: string; arguments: unknown }[];
  finish: string | undefined;
  /** Tokens in and out, cached ones read, reasoning ones; undefined where not reported. */
  input: number | undefined;
  output: number | undefined;
  cacheRead: number | undefined;
  reasoningTokens: number | undefined;
}

export const nothing = (): Reading => ({
  text: "",
  reasoning: "",
  calls: [],
  finish: undefined,
  input: undefined,
  output: undefined,
  cacheRead: undefined,
  reasoningTokens: undefined,
});

/** Payloads of an SSE text. The recordings hold one data line per event. */
export function payloads(sse: string): Json[] {
  return sse
    .split(/\r\n|\r|\n/)
    .filter((line) => line.startsWith("data:") && !line.includes("[DONE]"))
    .map((line) => JSON.parse(line.slice(5)));
}

function anthropicUsage(reading: Reading, usage: Json): void {
  const passes: Json[] = usage.iterations?.length ? usage.iterations : [usage];
  const total = (key: string) => passes.reduce((sum, pass) => sum + (pass[key] ?? 0), 0);
  reading.input = total("input_tokens") + total("cache_read_input_tokens") + total("cache_creation_input_tokens");
  reading.output = total("output_tokens");
  reading.cacheRead = passes.some((pass) => typeof pass.cache_read_input_tokens === "number")
    ? total("cache_read_input_tokens")
    : undefined;
  reading.reasoningTokens = usage.output_tokens_details?.thinking_tokens;
}

export function readAnthropic(body: Json): Reading {
  const reading = { ...nothing(), finish: body.stop_reason };
  for (const block of body.content) {
    if (block.type === "text") reading.text += block.text;
    if (block.type === "thinking") reading.reasoning += block.thinking;
    if (block.type === "tool_use") reading.calls.push({ id: block.id, name: block.name, arguments: block.input });
  }
  anthropicUsage(reading, body.usage);
  return reading;
}

export function readAnthropicStream(sse: string): Reading {
  const reading = nothing();
  const inputs = new Map<number, { call: Reading["calls"][number]; json: string }>();
  let usage: Json = {};
  for (const event of payloads(sse)) {
    const reported: Json = event.message?.usage ?? event.usage ?? {};
    for (const key in reported) if (reported[key] !== null) usage = { ...usage, [key]: reported[key] };
    if (event.content_block?.type === "tool_use") {
      const { id, name, input } = event.content_block;
      const call = { id, name, arguments: input };
      reading.calls.push(call);
      inputs.set(event.index, { call, json: "" });
    }
    const { delta } = event;
    if (delta?.type === "text_delta") reading.text += delta.text;
    if (delta?.type === "thinking_delta") reading.reasoning += delta.thinking;
    const open = delta?.type === "input_json_delta" ? inputs.get(event.index) : undefined;
    if (open) open.json += delta.partial_json;
    reading.finish = delta?.stop_reason ?? reading.finish;
  }
  for (const { call, json } of inputs.values()) if (json !== "") call.arguments = JSON.parse(json);
  anthropicUsage(reading, usage);
  return reading;
}

export function readGemini(events: Json[]): Reading {
  const reading = nothing();
  let open: Reading["calls"][number] | undefined;
  for (const event of events) {
    const candidate = event.candidates?.[0];
    reading.finish = candidate?.finishReason ?? reading.finish;
    const usage = event.usageMetadata;
    if (usage?.promptTokenCount !== undefined) geminiUsage(reading, usage);
    for (const { text, thought, functionCall } of candidate?.content?.parts ?? []) {
      if (text !== undefined) reading[thought ? "reasoning" : "text"] += text;
      if (functionCall?.name) {
        const { id, name, args = {} } = functionCall;
        open = { id, name, arguments: args };
        reading.calls.push(open);
      }
      for (const { jsonPath, stringValue } of functionCall?.partialArgs ?? []) {
        // Flat: the decoded arguments are flattened for the comparison.
        const flat = (open?.arguments ?? {}) as Record<string, string>;
        flat[jsonPath] = (flat[jsonPath] ?? "") + stringValue;
      }
    }
  }
  return reading;
}

function geminiUsage(reading: Reading, usage: Json): void {
  const input = usage.promptTokenCount + (usage.toolUsePromptTokenCount ?? 0);
  reading.input = input;
  reading.output = usage.totalTokenCount === undefined ? undefined : usage.totalTokenCount - input;
  reading.cacheRead = usage.cachedContentTokenCount;
  reading.reasoningTokens = usage.thoughtsTokenCount;
}

export function readResponse(response: Json, output: Json[] = response.output): Reading {
  const { usage, status, incomplete_details } = response;
  const reading = { ...nothing(), finish: incomplete_details?.reason ?? status };
  for (const item of output) {
    if (item.type === "message")
      for (const part of item.content ?? []) if (part.type === "output_text") reading.text += part.text;
    if (item.type === "reasoning")
      reading.reasoning += [...(item.summary ?? []), ...(item.content ?? [])]
        .map((part: Json) => part.text)
        .join("\n\n");
    if (item.type === "function_call")
      reading.calls.push({ id: item.call_id, name: item.name, arguments: JSON.parse(item.arguments) });
    if (item.type === "custom_tool_call")
      reading.calls.push({ id: item.call_id, name: item.name, arguments: item.input });
  }
  reading.input = usage?.input_tokens;
  reading.output = usage?.output_tokens;
  reading.cacheRead = usage?.input_tokens_details?.cached_tokens;
  reading.reasoningTokens = usage?.output_tokens_details?.reasoning_tokens;
  return reading;
}

export function readResponseStream(sse: string): Reading {
  const events = payloads(sse);
  const last = events.findLast(({ type }) => /^response\.(completed|incomplete)$/.test(type));
  const items = events.flatMap(({ type, item }) => (type === "response.output_item.done" ? [item] : []));
  return readResponse(last.response, items);
}

/** `{ a: [{ b: "x" }] }` → `{ "$.a[0].b": "x" }`. */
export function flattened(value: unknown, path = "$"): Record<string, unknown> {
  if (typeof value !== "object" || value === null) return { [path]: value };
  const inner = Array.isArray(value)
    ? value.map((item, index) => flattened(item, `${path}[${index}]`))
    : Object.entries(value).map(([key, member]) => flattened(member, `${path}.${key}`));
  return Object.assign({}, ...inner);
}
