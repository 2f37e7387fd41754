/** Shapes seen: `{type:"error",error:{type,message,details?},request_id}`, as an answer and as an `error` event. */
export { decodeError, decodeErrorObject, textErrorEvent } from "../error-body.ts";
