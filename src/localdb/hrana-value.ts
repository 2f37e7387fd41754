import { isRecord } from "../json/record.ts";

export type SqlValue = null | bigint | number | string | Uint8Array;

/** The request is not Hrana: answered with HTTP 400, nothing of it was executed. */
export class HranaProtocolError extends Error {
  override readonly name = "HranaProtocolError" as const;
}

const INT64 = { min: -(2n ** 63n), max: 2n ** 63n - 1n };

export function decodeValue(json: unknown): SqlValue {
  if (!isRecord(json)) throw new HranaProtocolError("a value is not an object");
  const { type, value, base64 } = json;
  if (type === "null") return null;
  if (type === "integer" && typeof value === "string") return integer(value);
  if (type === "float" && typeof value === "number") return value;
  if (type === "text" && typeof value === "string") return wellFormed(value);
  if (type === "blob" && typeof base64 === "string") return bytes(base64);
  throw new HranaProtocolError(`not a value: type ${JSON.stringify(type)}`);
}

/** Returns the text, or refuses it where UTF-8 cannot state it: it would be stored as another text. */
export function wellFormed(text: string): string {
  if (text.isWellFormed()) return text;
  throw new HranaProtocolError("a text holds half of a surrogate pair");
}

/** Both alphabets, with or without padding; Node would skip whatever else is there. */
function bytes(base64: string): Uint8Array {
  const digits = base64.replace(/={0,2}$/, "");
  if (/^[A-Za-z0-9+/_-]*$/.test(digits) && digits.length % 4 !== 1) return Buffer.from(digits, "base64");
  throw new HranaProtocolError("a blob is not base64");
}

function integer(text: string): bigint {
  const number = /^-?\d{1,19}$/.test(text) ? BigInt(text) : undefined;
  if (number === undefined || number < INT64.min || number > INT64.max) {
    throw new HranaProtocolError(`not a 64-bit integer: ${JSON.stringify(text.slice(0, 40))}`);
  }
  return number;
}

/** The engine returns integers as `bigint`, reals as `number`, blobs as `Buffer`. */
export function encodeValue(value: unknown): Record<string, unknown> {
  if (value === null || value === undefined) return { type: "null" };
  if (typeof value === "bigint") return { type: "integer", value: value.toString() };
  if (typeof value === "number") return { type: "float", value: jsonNumber(value) };
  if (typeof value === "string") return { type: "text", value };
  if (value instanceof Uint8Array) return { type: "blob", base64: Buffer.from(value).toString("base64") };
  throw new TypeError(`the engine returned a ${typeof value}`);
}

/** JSON has no infinity, but every parser reads `9e999` as one. SQLite stores NaN as NULL. */
function jsonNumber(value: number): unknown {
  if (Number.isFinite(value)) return value;
  return rawJson(value > 0 ? "9e999" : "-9e999");
}

/** `JSON.rawJSON`, in every Node since 21, is not yet in TypeScript's library. */
const rawJson = (JSON as unknown as { rawJSON(text: string): unknown }).rawJSON;
