/** Shapes seen: `{error:{message,type,param,code}}`, flat (Mistral), `{detail}`, a bare string (Ollama), `error` beside `code` (xAI). */
export { decodeError, decodeErrorObject, textErrorEvent } from "../error-body.ts";
