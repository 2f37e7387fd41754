/**
 * Validation against JSON Schema: draft 2020-12, or draft-07 where `$schema` says so. Remote references are never
 * fetched; `format` is enforced. What is not supported is listed in `unsupported.ts`.
 */
import { err, ok, type Result } from "../../failure/failure.ts";
import { isRecord } from "../record.ts";
import { errorsAt, type LibraryError, openSchema, type SchemaDocument, TooMuchWork } from "./schema-document.ts";
import type { SchemaFault } from "./schema-faults.ts";

export type { SchemaFault } from "./schema-faults.ts";

export interface ValidationError {
  /** JSON pointer into the value; `""` is the value itself. */
  readonly path: string;
  /** What is expected there. May quote names and numbers of the value, so it belongs in no log and no telemetry. */
  readonly message: string;
}

export type Validation =
  | { readonly valid: true }
  | { readonly valid: false; readonly errors: readonly ValidationError[] };

export type SchemaValidator = (value: unknown) => Validation;

const TOO_MUCH_WORK = "The schema's references branch so much that the value could not be checked.";

/** At most this many errors are reported of one value. */
const MAX_ERRORS = 50;

const compiled = new WeakMap<object, Result<SchemaValidator, readonly SchemaFault[]>>();

/**
 * The validator of a schema, made once per schema object. Fails where the schema is malformed, refers to what is not in
 * it, or relies on a keyword that would not be enforced. The schema itself is not modified.
 */
export function compileSchema(schema: unknown): Result<SchemaValidator, readonly SchemaFault[]> {
  const known = isRecord(schema) ? compiled.get(schema) : undefined;
  if (known) return known;
  const document = openSchema(schema);
  const result = document.ok ? ok(validatorOf(document.value)) : err(document.error);
  if (isRecord(schema)) compiled.set(schema, result);
  return result;
}

function validatorOf(document: SchemaDocument): SchemaValidator {
  return function validateAgainstSchema(value) {
    try {
      // Most values are valid, and one error decides; only then is the work of listing all of them done.
      const first = errorsAt(document, document.root, value);
      if (first.length === 0) return { valid: true };
      const all = errorsAt(document, document.root, value, true);
      return { valid: false, errors: readable(all.length > 0 ? all : first) };
    } catch (error) {
      if (!(error instanceof RangeError)) throw error;
      if (error instanceof TooMuchWork) return { valid: false, errors: [{ path: "", message: TOO_MUCH_WORK }] };
      return { valid: false, errors: [{ path: "", message: "The value nests too deep, or holds too many errors." }] };
    }
  };
}

/** Keywords that only say that something below them failed; the errors below follow. */
const WRAPPERS = ["$ref", "allOf", "properties", "patternProperties", "items", "prefixItems", "if"];

function readable(errors: readonly LibraryError[]): readonly ValidationError[] {
  const telling = errors.filter(({ keyword }) => !WRAPPERS.includes(keyword));
  const seen = new Map<string, ValidationError>();
  for (const { instanceLocation, error } of telling.length > 0 ? telling : errors) {
    if (seen.size >= MAX_ERRORS) break;
    const path = plainPointer(instanceLocation);
    seen.set(`${path} ${error}`, { path, message: error });
  }
  return [...seen.values()];
}

/** The library's location is a URI fragment (`#/a%20b`). */
function plainPointer(location: string): string {
  try {
    return decodeURIComponent(location.slice(1));
  } catch {
    return location.slice(1);
  }
}
