/** The model clients that are known: how a call of each looks, and what reads its answer. */
import { BUILTIN_PROVIDERS } from "../../provider/builtin.ts";

/** How the answer of a call comes. */
export type Delivery =
  /** Awaited, whole. */
  | "whole"
  /** Awaited (or not), then read by `for await`; every event passes through a collector. */
  | "events"
  /** A stream object that afterwards promises the whole: `await stream.finalMessage()`. */
  | { readonly final: string }
  /** A result whose parts are promises that are kept when its stream was read. */
  | "promises";

export interface ClientCall {
  readonly client: string;
  /** As it is written: `chat.completions.create`. */
  readonly method: string;
  readonly delivery: Delivery;
  /** Function of the seam that reads the answer. */
  readonly reader: string;
  /** Properties of the request that hold what was asked. */
  readonly prompt: readonly string[];
  /** Provider, where the client has only one. */
  readonly provider: string;
  /** Name for the answer, where the code has none. */
  readonly answer: string;
}

/** Calls on a client object, by the end of their member chain. */
interface MethodRow extends Omit<ClientCall, "method" | "delivery"> {
  readonly path: readonly string[];
  /** Packages that the client object may come from. */
  readonly modules: readonly string[];
  readonly delivery: Delivery;
  /** Reader of events where the request says `stream: true`. */
  readonly streamReader?: string;
  /** The chain's end is this client's alone, so that it is recognised where the object's origin is not seen. */
  readonly distinct: boolean;
}

const openai = {
  client: "OpenAI SDK",
  modules: ["openai"],
  provider: "openai",
  delivery: "whole",
  distinct: true,
} as const;
const anthropic = {
  ...{
    client: "Anthropic SDK",
    modules: ["@anthropic-ai/sdk", "@anthropic-ai/bedrock-sdk", "@anthropic-ai/vertex-sdk"],
  },
  ...{
    provider: "anthropic",
    prompt: ["system", "messages"],
    answer: "message",
    reader: "fromMessage",
    distinct: false,
  },
} as const;
const genai = {
  ...{ client: "Google Gen AI SDK", modules: ["@google/genai"], provider: "gemini", distinct: true },
  ...{ prompt: ["contents"], answer: "answer" },
} as const;

const chat = { ...openai, reader: "fromChatCompletion", prompt: ["messages"], answer: "completion" };
const responses = { ...openai, reader: "fromResponse", prompt: ["instructions", "input"], answer: "response" };

export const METHODS: readonly MethodRow[] = [
  { ...chat, path: ["chat", "completions", "create"], streamReader: "collectChat" },
  { ...chat, path: ["chat", "completions", "parse"] },
  { ...chat, path: ["chat", "completions", "stream"], delivery: { final: "finalChatCompletion" } },
  { ...responses, path: ["responses", "create"], streamReader: "collectResponse" },
  { ...responses, path: ["responses", "parse"] },
  { ...responses, path: ["responses", "stream"], delivery: { final: "finalResponse" } },
  { ...openai, path: ["embeddings", "create"], reader: "fromEmbeddings", prompt: ["input"], answer: "embedded" },
  { ...anthropic, path: ["messages", "create"], delivery: "whole", streamReader: "collectMessage" },
  { ...anthropic, path: ["messages", "parse"], delivery: "whole" },
  { ...anthropic, path: ["messages", "stream"], delivery: { final: "finalMessage" } },
  { ...genai, path: ["models", "generateContent"], reader: "fromContent", delivery: "whole" },
  { ...genai, path: ["models", "generateContentStream"], reader: "collectContent", delivery: "events" },
];

const ai = { client: "AI SDK", provider: "", reader: "fromGenerated", answer: "generated" } as const;
const asked = ["instructions", "system", "prompt", "messages"] as const;

/** Functions of the package `ai`, by name. */
export const AI_FUNCTIONS: Readonly<Record<string, Omit<ClientCall, "method">>> = {
  generateText: { ...ai, delivery: "whole", prompt: asked },
  generateObject: { ...ai, delivery: "whole", prompt: asked },
  streamText: { ...ai, delivery: "promises", prompt: asked, reader: "fromStreamed" },
  streamObject: { ...ai, delivery: "promises", prompt: asked, reader: "fromStreamed" },
  embed: { ...ai, delivery: "whole", prompt: ["value"], reader: "fromEmbedded", answer: "embedded" },
  embedMany: { ...ai, delivery: "whole", prompt: ["values"], reader: "fromEmbedded", answer: "embedded" },
};

/** Methods of a LangChain runnable that reach its model. */
export const RUNNABLE_METHODS: Readonly<Record<string, Omit<ClientCall, "method">>> = {
  invoke: {
    client: "LangChain",
    delivery: "whole",
    reader: "fromRunnable",
    prompt: [],
    provider: "",
    answer: "answer",
  },
  stream: {
    client: "LangChain",
    delivery: "events",
    reader: "collectRunnable",
    prompt: [],
    provider: "",
    answer: "stream",
  },
};

/** Providers by the package of their model class or factory: `@langchain/groq`, `@ai-sdk/groq`. */
const BY_PACKAGE: Readonly<Record<string, string>> = {
  "google-genai": "gemini",
  google: "gemini",
  "google-vertexai": "gemini",
  mistralai: "mistral",
  togetherai: "together",
  "openrouter/ai-sdk-provider": "openrouter",
  "ollama-ai-provider": "ollama",
};

/** The provider that a package is for, where the package says it. */
export function providerOfPackage(module: string): string | undefined {
  const name = module.replace(/^@(langchain|ai-sdk|openrouter)\//, (all, scope) =>
    scope === "openrouter" ? all.slice(1) : "",
  );
  if (name === module || name === "core" || name === "community" || name === "openai-compatible") return undefined;
  return BY_PACKAGE[name] ?? name;
}

/** The provider that a base URL is of. */
export function providerOfUrl(url: string): string | undefined {
  if (!URL.canParse(url)) return undefined;
  const { host } = new URL(url);
  return BUILTIN_PROVIDERS.find(({ baseUrl }) => URL.canParse(baseUrl) && new URL(baseUrl).host === host)?.name;
}
