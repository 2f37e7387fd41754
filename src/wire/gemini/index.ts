import type { UpstreamDialect } from "../dialect.ts";
import { decodeError } from "./error.ts";
import { streamDecoder } from "./events.ts";
import { encodeRequest } from "./request.ts";
import { decodeAnswer } from "./response.ts";

export const gemini: UpstreamDialect = { name: "gemini", encodeRequest, decodeAnswer, streamDecoder, decodeError };
