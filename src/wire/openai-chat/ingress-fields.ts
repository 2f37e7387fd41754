/** Reading of a client's body with a precise complaint: every reader names the parameter it found wrong. */
import { exactText } from "../../json/exact-numbers.ts";
import { isRecord, type JsonRecord } from "../../json/record.ts";

/**
 * A client's mistake. Thrown only inside `decodeRequest`, which turns it into a result: the readers are nested too deep
 * for each to hand a result upwards.
 */
export class InvalidField extends Error {
  readonly param: string;

  constructor(param: string, message: string) {
    super(message);
    this.name = "InvalidField";
    this.param = param;
  }
}

/** Fields without a neutral form, by path; array positions are left out so that the list stays short. */
export class UnmappedFields {
  readonly #paths = new Set<string>();

  get paths(): readonly string[] {
    return [...this.#paths];
  }

  add(path: string): void {
    this.#paths.add(path.replace(/\[\d+\]/g, "[]"));
  }

  /** Records every non-empty member of `record` that is not named in `known`. */
  note(record: JsonRecord, known: ReadonlySet<string>, path: string): void {
    for (const key in record) {
      if (known.has(key) || record[key] === undefined || record[key] === null) continue;
      this.add(path === "" ? key : `${path}.${key}`);
    }
  }
}

/** `null` is how some clients write "not given". */
export function given(record: JsonRecord, key: string): unknown {
  const value = record[key];
  return value === null ? undefined : value;
}

export function requiredString(value: unknown, param: string): string {
  if (typeof value !== "string") throw expected(param, "a string", value);
  return value;
}

export function filledString(value: unknown, param: string): string {
  const text = requiredString(value, param);
  if (text === "") throw new InvalidField(param, `${param} must not be empty`);
  return text;
}

export function requiredRecord(value: unknown, param: string): JsonRecord {
  if (!isRecord(value)) throw expected(param, "an object", value);
  return value;
}

export function requiredArray(value: unknown, param: string): readonly unknown[] {
  if (!Array.isArray(value)) throw expected(param, "an array", value);
  return value;
}

export function optionalString(record: JsonRecord, key: string, path = key): string | undefined {
  const value = given(record, key);
  return value === undefined ? undefined : requiredString(value, path);
}

export function optionalBoolean(record: JsonRecord, key: string, path = key): boolean | undefined {
  const value = given(record, key);
  if (value !== undefined && typeof value !== "boolean") throw expected(path, "true or false", value);
  return value;
}

export function optionalRecord(record: JsonRecord, key: string, path = key): JsonRecord | undefined {
  const value = given(record, key);
  return value === undefined ? undefined : requiredRecord(value, path);
}

export function optionalNumber(record: JsonRecord, key: string, path = key): number | undefined {
  const value = given(record, key);
  if (exactText(value) !== undefined) {
    throw new InvalidField(path, `${path} must be a number that a double holds exactly: whole numbers end at 2^53`);
  }
  if (value !== undefined && (typeof value !== "number" || !Number.isFinite(value))) {
    throw expected(path, "a number", value);
  }
  return value;
}

export function optionalInteger(record: JsonRecord, key: string, least: number, path = key): number | undefined {
  const value = optionalNumber(record, key, path);
  if (value !== undefined && (!Number.isSafeInteger(value) || value < least)) {
    throw new InvalidField(path, `${path} must be a whole number from ${least} up`);
  }
  return value;
}

export function oneOf<T extends string>(value: unknown, choices: readonly T[], param: string): T {
  const found = choices.find((choice) => choice === value);
  if (found === undefined) throw new InvalidField(param, `${param} must be one of ${choices.join(", ")}`);
  return found;
}

/** Names the type that came, never the value: it may be content. */
function expected(param: string, what: string, value: unknown): InvalidField {
  const came =
    value === undefined ? "missing" : value === null ? "null" : Array.isArray(value) ? "an array" : `a ${typeof value}`;
  return new InvalidField(param, `${param} must be ${what}, and is ${came}`);
}
