import { recordAt } from "../../json/record.ts";
import type { IngressDialect, UpstreamDialect } from "../dialect.ts";
import { encodeError } from "../openai-error-body.ts";
import { decodeError } from "./error.ts";
import { streamDecoder } from "./events.ts";
import { streamEncoder } from "./ingress-events.ts";
import { decodeRequest } from "./ingress-request.ts";
import { encodeAnswer } from "./ingress-response.ts";
import { encodeRequest } from "./request.ts";
import { decodeAnswer } from "./response.ts";
import { normaliseUsage } from "./usage.ts";

export const openaiResponses: UpstreamDialect = {
  name: "openai-responses",
  encodeRequest,
  decodeAnswer,
  usageOf: (body) => normaliseUsage(recordAt(body, "usage")),
  streamDecoder,
  decodeError,
};

export const openaiResponsesIngress: IngressDialect = {
  name: "openai-responses",
  decodeRequest,
  encodeAnswer,
  streamEncoder,
  encodeError,
};
