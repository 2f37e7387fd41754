/** OpenAI's chat completions, as an upstream (every OpenAI-compatible provider) and as what our clients speak. */
import type { IngressDialect, UpstreamDialect } from "../dialect.ts";
import { encodeError } from "../openai-error-body.ts";
import { decodeError } from "./error.ts";
import { streamDecoder } from "./events.ts";
import { streamEncoder } from "./ingress-events.ts";
import { decodeRequest } from "./ingress-request.ts";
import { encodeAnswer } from "./ingress-response.ts";
import { encodeRequest } from "./request.ts";
import { decodeAnswer } from "./response.ts";

export const openaiChat: UpstreamDialect = {
  name: "openai-chat",
  encodeRequest,
  decodeAnswer,
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
