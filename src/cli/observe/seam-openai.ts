/** The functions of the seam that read answers of the OpenAI SDK; see `seam-parts.ts`. */

export const OPENAI_PARTS: Readonly<Record<string, string>> = {
  fromChatCompletion: `interface ChatUsage {
  prompt_tokens: number;
  completion_tokens: number;
  prompt_tokens_details?: { cached_tokens?: number | null | undefined } | null | undefined;
  completion_tokens_details?: { reasoning_tokens?: number | null | undefined } | null | undefined;
}

/** \`prompt_tokens\` includes what was cached, \`completion_tokens\` what was reasoning. */
function chatUsage(usage: ChatUsage | null | undefined): Call["usage"] {
  const cached = usage?.prompt_tokens_details?.cached_tokens;
  const reasoning = usage?.completion_tokens_details?.reasoning_tokens;
  return {
    tokensIn: usage?.prompt_tokens,
    tokensOut: usage?.completion_tokens,
    ...(cached != null ? { tokensCached: cached } : {}),
    ...(reasoning != null ? { reasoningTokens: reasoning } : {}),
  };
}

/** An answer of OpenAI's chat completions. \`parsed\` is there where the call was \`parse\`. */
export function fromChatCompletion(
  answer: {
    model: string;
    usage?: ChatUsage | null | undefined;
    service_tier?: string | null | undefined;
    choices: readonly { finish_reason: string | null; message: { content: string | null; parsed?: unknown; tool_calls?: unknown } }[];
  },
  provider: string,
): Answered {
  const choice = answer.choices[0];
  const { content, parsed, tool_calls } = choice?.message ?? {};
  return {
    rawText: content ?? JSON.stringify(tool_calls ?? null),
    json: parsed ?? parsedJson(content) ?? tool_calls,
    ...(parsed !== undefined && tool_calls === undefined ? { conforms: parsed !== null } : {}),
    calls: [
      {
        provider,
        model: answer.model,
        usage: chatUsage(answer.usage),
        ...(answer.service_tier != null ? { servedTier: tierOf(answer.service_tier) } : {}),
        ...(choice?.finish_reason != null ? { finishReason: choice.finish_reason } : {}),
      },
    ],
  };
}

/** OpenAI says \`default\` for what everybody else calls standard. */
function tierOf(tier: string): string {
  return tier === "default" || tier === "auto" ? "standard" : tier;
}
`,
  collectChat: `interface ChatChunk {
  model: string;
  usage?: ChatUsage | null | undefined;
  choices: readonly { delta?: { content?: string | null | undefined } | undefined; finish_reason?: string | null | undefined }[];
}

/** Collects the chunks of a chat completion. Usage is on the last one, where the request has \`stream_options.include_usage\`. */
export function collectChat(provider: string) {
  let text = "";
  let model = "unknown";
  let usage: ChatUsage | undefined;
  let finish: string | undefined;
  return {
    add(chunk: ChatChunk): void {
      const choice = chunk.choices[0];
      text += choice?.delta?.content ?? "";
      model = chunk.model || model;
      finish = choice?.finish_reason ?? finish;
      usage = chunk.usage ?? usage;
    },
    answer(): Answered {
      const finished = finish !== undefined ? { finishReason: finish } : {};
      const counted = usage !== undefined ? { usage: chatUsage(usage) } : {};
      return { rawText: text, json: parsedJson(text), calls: [{ provider, model, stream: true, ...counted, ...finished }] };
    },
  };
}
`,
  fromResponse: `interface ResponseLike {
  model: string;
  status?: string | null | undefined;
  output_text?: string | undefined;
  output?: unknown;
  output_parsed?: unknown;
  service_tier?: string | null | undefined;
  usage?:
    | {
        input_tokens: number;
        output_tokens: number;
        input_tokens_details?: { cached_tokens?: number | undefined } | undefined;
        output_tokens_details?: { reasoning_tokens?: number | undefined } | undefined;
      }
    | null
    | undefined;
}

/** An answer of OpenAI's Responses. \`input_tokens\` includes what was cached, \`output_tokens\` what was reasoning. */
export function fromResponse(answer: ResponseLike, provider: string): Answered {
  const { usage, output_text: text, output_parsed: parsed } = answer;
  const cached = usage?.input_tokens_details?.cached_tokens;
  const reasoning = usage?.output_tokens_details?.reasoning_tokens;
  return {
    rawText: text || JSON.stringify(answer.output ?? null),
    json: parsed ?? parsedJson(text) ?? answer.output,
    ...(parsed !== undefined ? { conforms: parsed !== null } : {}),
    calls: [
      {
        provider,
        model: answer.model,
        usage: {
          tokensIn: usage?.input_tokens,
          tokensOut: usage?.output_tokens,
          ...(cached !== undefined ? { tokensCached: cached } : {}),
          ...(reasoning !== undefined ? { reasoningTokens: reasoning } : {}),
        },
        ...(answer.status != null ? { finishReason: answer.status } : {}),
      },
    ],
  };
}
`,
  collectResponse: `/** Collects the events of a response; the last one holds it whole, usage included. */
export function collectResponse(provider: string) {
  let last: ResponseLike | undefined;
  return {
    add(event: { type: string; response?: ResponseLike | undefined }): void {
      if (event.response) last = event.response;
    },
    answer(): Answered {
      return fromResponse(last ?? { model: "unknown" }, provider);
    },
  };
}
`,
  fromEmbeddings: `/** Embeddings: how many there are is kept, not their numbers. */
export function fromEmbeddings(
  answer: { model: string; data: readonly unknown[]; usage?: { prompt_tokens: number } | undefined },
  provider: string,
): Answered {
  const json = { embeddings: answer.data.length };
  const usage = answer.usage ? { usage: { tokensIn: answer.usage.prompt_tokens, tokensOut: 0 } } : {};
  return { rawText: JSON.stringify(json), json, calls: [{ provider, model: answer.model, ...usage }] };
}
`,
};
