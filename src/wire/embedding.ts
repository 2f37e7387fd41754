/** The neutral form of an embedding call, and what an upstream needs to serve one. */
import type { Result } from "../failure/failure.ts";
import type { JsonRecord } from "../json/record.ts";
import type { Usage } from "../money/usage.ts";
import type { ChatAnswer } from "./chat.ts";
import type { EncodedRequest, WireTarget } from "./dialect.ts";

export interface EmbeddingRequest {
  /** One vector comes back for each: text, or the ids of its tokens. */
  readonly inputs: readonly (string | readonly number[])[];
  /** Length of the vectors, where the caller wants another than the model's own. */
  readonly dimensions?: number | undefined;
  /** `base64`: little-endian 32-bit floats, as the official client asks for them. */
  readonly encoding: "float" | "base64";
  /** The client's body; OpenAI-compatible upstreams get all of it. */
  readonly body: JsonRecord;
}

export interface EmbeddingList {
  /** In the order of the inputs. */
  readonly vectors: readonly (readonly number[] | string)[];
  readonly usage?: Usage | undefined;
}

/** Upstream side: pure functions over bodies, as with chat. */
export interface EmbeddingDialect {
  encodeRequest(request: EmbeddingRequest, target: WireTarget): Result<EncodedRequest>;
  decodeAnswer(body: unknown, request: EmbeddingRequest, target: WireTarget): Result<EmbeddingList>;
}

/** Embeddings put out no tokens: the input is all that is billed. */
export function embeddingUsage(inputTokens: number, raw: unknown, estimated = false): Usage {
  return { input: { total: inputTokens, uncached: inputTokens }, output: { total: 0 }, estimated, raw };
}

/** The list as an answer of one native part: the engine carries it like any other. */
export function embeddingAnswer({ vectors, usage }: EmbeddingList): ChatAnswer {
  const part = { type: "native", dialect: "openai-chat", value: vectors } as const;
  return { choices: [{ index: 0, content: [part], finish: { unified: "stop", raw: undefined } }], usage };
}

/** What `embeddingAnswer` put in. */
export function vectorsOf(answer: ChatAnswer): EmbeddingList["vectors"] {
  const [part] = answer.choices[0]?.content ?? [];
  return part?.type === "native" && Array.isArray(part.value) ? (part.value as EmbeddingList["vectors"]) : [];
}

/** Returns a vector in the requested format, whatever format the upstream used; undefined where it is neither. */
export function vectorIn(
  encoding: EmbeddingRequest["encoding"],
  vector: unknown,
): EmbeddingList["vectors"][number] | undefined {
  if (typeof vector === "string") return encoding === "base64" ? vector : floatsOf(vector);
  if (!Array.isArray(vector) || !vector.every((value): value is number => typeof value === "number")) return undefined;
  return encoding === "base64" ? base64Of(vector) : vector;
}

function base64Of(vector: readonly number[]): string {
  const view = new DataView(new ArrayBuffer(vector.length * 4));
  for (const [index, value] of vector.entries()) view.setFloat32(index * 4, value, true);
  let binary = "";
  for (const byte of new Uint8Array(view.buffer)) binary += String.fromCharCode(byte);
  return btoa(binary);
}

function floatsOf(base64: string): readonly number[] | undefined {
  let binary: string;
  try {
    binary = atob(base64);
  } catch {
    return undefined;
  }
  if (binary.length % 4 !== 0) return undefined;
  const view = new DataView(Uint8Array.from(binary, (character) => character.charCodeAt(0)).buffer);
  return Array.from({ length: binary.length / 4 }, (_, index) => view.getFloat32(index * 4, true));
}
