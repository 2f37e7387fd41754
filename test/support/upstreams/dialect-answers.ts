/** One answer, said in each provider's own dialect, whole and streamed. Written by hand, apart from the code under test. */
export interface SaidAnswer {
  readonly text?: string;
  readonly thought?: { readonly text: string; readonly signature: string };
  readonly calls?: readonly { readonly id: string; readonly name: string; readonly args: Record<string, unknown> }[];
}

/** Tokens of every answer: 21 in, of which 5 read from a cache; 9 out. */
export const SAID_USAGE = { input: 21, cached: 5, output: 9 } as const;

type Json = Record<string, unknown>;
/** A body, or the events of a stream as `[event name, data]`. */
export type Said = { readonly body: Json } | { readonly events: readonly (readonly [string | undefined, unknown])[] };

const halves = (text: string) => [text.slice(0, Math.ceil(text.length / 2)), text.slice(Math.ceil(text.length / 2))];

export function sayChat({ text, thought, calls = [] }: SaidAnswer, stream: boolean): Said {
  const usage = {
    prompt_tokens: SAID_USAGE.input,
    completion_tokens: SAID_USAGE.output,
    total_tokens: SAID_USAGE.input + SAID_USAGE.output,
    prompt_tokens_details: { cached_tokens: SAID_USAGE.cached },
  };
  const finish_reason = calls.length > 0 ? "tool_calls" : "stop";
  const wireCalls = calls.map(({ id, name, args }, index) => ({
    index,
    id,
    type: "function",
    function: { name, arguments: JSON.stringify(args) },
  }));
  if (!stream) {
    const message = {
      role: "assistant",
      content: text ?? null,
      ...(thought && { reasoning_content: thought.text }),
      ...(calls.length > 0 && { tool_calls: wireCalls }),
    };
    return {
      body: { id: "c1", object: "chat.completion", model: "m", choices: [{ index: 0, message, finish_reason }], usage },
    };
  }
  const chunk = (delta: unknown, finish: string | null = null) => ({
    id: "c1",
    object: "chat.completion.chunk",
    model: "m",
    choices: [{ index: 0, delta, finish_reason: finish }],
  });
  const deltas = [
    { role: "assistant", content: "" },
    ...(thought ? [{ reasoning_content: thought.text }] : []),
    ...halves(text ?? "").map((content) => ({ content })),
    ...wireCalls.map((call) => ({ tool_calls: [call] })),
  ];
  return {
    events: [
      ...deltas.map((delta) => [undefined, chunk(delta)] as const),
      [undefined, chunk({}, finish_reason)],
      [undefined, { id: "c1", object: "chat.completion.chunk", model: "m", choices: [], usage }],
      [undefined, "[DONE]"],
    ],
  };
}

export function sayAnthropic({ text, thought, calls = [] }: SaidAnswer, stream: boolean): Said {
  const usage = {
    input_tokens: SAID_USAGE.input - SAID_USAGE.cached,
    cache_read_input_tokens: SAID_USAGE.cached,
    cache_creation_input_tokens: 0,
    output_tokens: SAID_USAGE.output,
  };
  const stop_reason = calls.length > 0 ? "tool_use" : "end_turn";
  const blocks: Json[] = [
    ...(thought ? [{ type: "thinking", thinking: thought.text, signature: thought.signature }] : []),
    ...(text === undefined ? [] : [{ type: "text", text }]),
    ...calls.map(({ id, name, args }) => ({ type: "tool_use", id, name, input: args })),
  ];
  const message = { id: "msg_1", type: "message", role: "assistant", model: "m", stop_sequence: null };
  if (!stream) return { body: { ...message, content: blocks, stop_reason, usage } };
  const events: [string, Json][] = [];
  const send = (type: string, fields: Json = {}) => events.push([type, { type, ...fields }]);
  send("message_start", {
    message: { ...message, content: [], stop_reason: null, usage: { ...usage, output_tokens: 1 } },
  });
  send("ping");
  for (const [index, block] of blocks.entries()) {
    const delta = (fields: Json) => send("content_block_delta", { index, delta: fields });
    const empty = { text: "", thinking: "", signature: "", input: {} };
    const bare = Object.fromEntries(
      Object.entries(block).map(([key, value]) => [key, key in empty ? empty[key as keyof typeof empty] : value]),
    );
    send("content_block_start", { index, content_block: bare });
    if (block["type"] === "text")
      for (const half of halves(String(block["text"]))) delta({ type: "text_delta", text: half });
    if (block["type"] === "thinking") {
      delta({ type: "thinking_delta", thinking: block["thinking"] });
      delta({ type: "signature_delta", signature: block["signature"] });
    }
    if (block["type"] === "tool_use")
      for (const half of halves(JSON.stringify(block["input"])))
        delta({ type: "input_json_delta", partial_json: half });
    send("content_block_stop", { index });
  }
  send("message_delta", { delta: { stop_reason, stop_sequence: null }, usage });
  send("message_stop");
  return { events };
}

/** Ids of answers are never the same twice: ids of calls are made from them. */
let geminiAnswers = 0;

export function sayGemini({ text, thought, calls = [] }: SaidAnswer, stream: boolean): Said {
  const usageMetadata = {
    promptTokenCount: SAID_USAGE.input,
    cachedContentTokenCount: SAID_USAGE.cached,
    candidatesTokenCount: SAID_USAGE.output,
    totalTokenCount: SAID_USAGE.input + SAID_USAGE.output,
  };
  const parts: Json[] = [
    ...(thought ? [{ text: thought.text, thought: true }] : []),
    ...(text === undefined ? [] : [{ text }]),
    ...calls.map(({ name, args }, index) => ({
      functionCall: { name, args },
      ...(index === 0 && { thoughtSignature: thought?.signature ?? "c2ln" }),
    })),
  ];
  geminiAnswers += 1;
  const responseId = `g${geminiAnswers}`;
  const candidate = (some: Json[], finishReason?: string) => ({
    candidates: [{ content: { role: "model", parts: some }, index: 0, ...(finishReason && { finishReason }) }],
    usageMetadata,
    modelVersion: "m",
    responseId,
  });
  if (!stream) return { body: candidate(parts, "STOP") };
  const pieces = parts.flatMap((part) =>
    "text" in part ? halves(String(part["text"])).map((half) => ({ ...part, text: half })) : [part],
  );
  const last = pieces.length - 1;
  return {
    events: pieces.map((piece, at) => [undefined, candidate([piece], at === last ? "STOP" : undefined)] as const),
  };
}

export function sayResponses({ text, thought, calls = [] }: SaidAnswer, stream: boolean): Said {
  const usage = {
    input_tokens: SAID_USAGE.input,
    input_tokens_details: { cached_tokens: SAID_USAGE.cached, cache_write_tokens: 0 },
    output_tokens: SAID_USAGE.output,
    output_tokens_details: { reasoning_tokens: 0 },
    total_tokens: SAID_USAGE.input + SAID_USAGE.output,
  };
  const output: Json[] = [
    ...(thought
      ? [
          {
            type: "reasoning",
            id: "rs_1",
            summary: [{ type: "summary_text", text: thought.text }],
            encrypted_content: thought.signature,
          },
        ]
      : []),
    ...(text === undefined
      ? []
      : [
          {
            type: "message",
            id: "msg_1",
            role: "assistant",
            status: "completed",
            content: [{ type: "output_text", text, annotations: [], logprobs: [] }],
          },
        ]),
    ...calls.map(({ id, name, args }) => ({
      type: "function_call",
      id: `fc_${id}`,
      call_id: id,
      name,
      arguments: JSON.stringify(args),
      status: "completed",
    })),
  ];
  const response = { id: "resp_1", object: "response", created_at: 1, model: "m", status: "completed", error: null };
  if (!stream) return { body: { ...response, incomplete_details: null, output, usage } };
  const events: [string, Json][] = [];
  const send = (type: string, fields: Json) => events.push([type, { type, sequence_number: events.length, ...fields }]);
  send("response.created", { response: { ...response, status: "in_progress", output: [] } });
  for (const [output_index, item] of output.entries()) {
    const at = { item_id: item["id"], output_index };
    const bare =
      item["type"] === "message" ? { content: [] } : item["type"] === "function_call" ? { arguments: "" } : {};
    send("response.output_item.added", { output_index, item: { ...item, ...bare, status: "in_progress" } });
    if (item["type"] === "message") {
      const part = { type: "output_text", text: "", annotations: [], logprobs: [] };
      send("response.content_part.added", { ...at, content_index: 0, part });
      for (const delta of halves(text ?? ""))
        send("response.output_text.delta", { ...at, content_index: 0, delta, logprobs: [] });
    }
    if (item["type"] === "reasoning") {
      send("response.reasoning_summary_part.added", {
        ...at,
        summary_index: 0,
        part: { type: "summary_text", text: "" },
      });
      send("response.reasoning_summary_text.delta", { ...at, summary_index: 0, delta: thought?.text });
    }
    if (item["type"] === "function_call")
      for (const delta of halves(String(item["arguments"])))
        send("response.function_call_arguments.delta", { ...at, delta });
    send("response.output_item.done", { output_index, item });
  }
  send("response.completed", { response: { ...response, output, usage } });
  return { events };
}
