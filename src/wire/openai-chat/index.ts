/** OpenAI's chat completions, as an upstream (every OpenAI-compatible provider) and as what our clients speak. */
import { isRecord } from "../../json/record.ts";
import type { IngressDialect, UpstreamDialect } from "../dialect.ts";
import { encodeError } from "../openai-error-body.ts";
import { decodeError } from "./error.ts";
import { streamDecoder } from "./events.ts";
import { streamEncoder } from "./ingress-events.ts";
import { decodeRequest } from "./ingress-request.ts";
import { encodeAnswer } from "./ingress-response.ts";
import { encodeRequest } from "./request.ts";
import { decodeAnswer, usageOf } from "./response.ts";
import { normaliseUsage } from "./usage.ts";

export const openaiChat: UpstreamDialect = {
  name: "openai-chat",
  encodeRequest,
  decodeAnswer,
  usageOf: (body, { quirks }) => (isRecord(body) ? normaliseUsage(usageOf(body), quirks) : undefined),
  streamDecoder,
  decodeError,
};

export const openaiChatIngress: IngressDialect = {
  name: "openai-chat",
  decodeRequest,
  encodeAnswer,
  streamEncoder,
  encodeError,
};
