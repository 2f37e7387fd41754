import type { UpstreamDialect } from "../dialect.ts";
import { decodeError } from "./error.ts";
import { streamDecoder } from "./events.ts";
import { encodeRequest } from "./request.ts";
import { decodeAnswer } from "./response.ts";
import { normaliseUsage } from "./usage.ts";

export const gemini: UpstreamDialect = {
  name: "gemini",
  encodeRequest,
  decodeAnswer,
  usageOf: normaliseUsage,
  streamDecoder,
  decodeError,
};
