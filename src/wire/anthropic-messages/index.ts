import { recordAt } from "../../json/record.ts";
import type { IngressDialect, UpstreamDialect } from "../dialect.ts";
import { decodeError } from "./error.ts";
import { streamDecoder } from "./events.ts";
import { errorBody } from "./ingress-error.ts";
import { streamEncoder } from "./ingress-events.ts";
import { decodeRequest } from "./ingress-request.ts";
import { encodeAnswer } from "./ingress-response.ts";
import { encodeRequest } from "./request.ts";
import { decodeAnswer } from "./response.ts";
import { normaliseUsage } from "./usage.ts";

export const anthropicMessages: UpstreamDialect = {
  name: "anthropic-messages",
  encodeRequest,
  decodeAnswer,
  usageOf: (body) => normaliseUsage(recordAt(body, "usage")),
  streamDecoder,
  decodeError,
};

export const anthropicMessagesIngress: IngressDialect = {
  name: "anthropic-messages",
  idHeader: "request-id",
  decodeRequest,
  encodeAnswer,
  streamEncoder,
  encodeError: errorBody,
};
