/** Shapes seen: `{error:{…}}`, the flat `error` event, and a response whose `status` is `failed`. */
export { decodeError, decodeErrorObject, textErrorEvent } from "../error-body.ts";
