/** Shapes seen: `{error:{code,message,status,details[]}}`, sometimes inside an array; details follow google.rpc. */
export { decodeError, decodeErrorObject, textErrorEvent } from "../error-body.ts";
