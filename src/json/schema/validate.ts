/**
 * Validation against JSON Schema, drafts 04 to 2020-12, each by its own rules, in counted steps. Remote references are
 * never fetched; `format` is enforced. What is not supported is listed in `unsupported.ts`.
 */
import { err, ok, type Result } from "../../failure/failure.ts";
import { isRecord } from "../record.ts";
import { TooManySteps } from "../steps.ts";
import { SchemaCheck, type ValidationError } from "./schema-check.ts";
import { openSchema, type SchemaDocument } from "./schema-document.ts";
import type { SchemaFault } from "./schema-faults.ts";

type Validation =
  | { readonly valid: true }
  | {
      readonly valid: false;
      readonly errors: readonly ValidationError[];
      /** Nothing is known of the value: judging it takes more steps than one value may take. */
      readonly tooCostly?: true;
    };

export type SchemaValidator = (value: unknown) => Validation;

/** At most this many errors are reported of one value. */
const MAX_ERRORS = 50;

const compiled = new WeakMap<object, Result<SchemaValidator, readonly SchemaFault[]>>();

/**
 * The validator of a schema, made once per schema object. Fails where the schema is malformed, refers to what is not in
 * it, or relies on what would not be enforced. The schema itself is not modified.
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
      // Most values are valid, and one error decides; only then is the work of listing them done.
      if (new SchemaCheck(document).accepts(document.root, value, undefined)) return { valid: true };
    } catch (error) {
      return undecided(error);
    }
    return { valid: false, errors: errorsOf(document, value) };
  };
}

/** The errors found within the steps of one check. */
function errorsOf(document: SchemaDocument, value: unknown): readonly ValidationError[] {
  const check = new SchemaCheck(document, MAX_ERRORS);
  try {
    check.accepts(document.root, value, undefined);
  } catch (error) {
    if (!(error instanceof RangeError)) throw error;
  }
  return check.errors.length > 0 ? check.errors : [{ path: "", message: "does not match the schema" }];
}

function undecided(error: unknown): Validation {
  if (error instanceof TooManySteps) {
    const message = `cannot be checked in ${error.limit} steps: the value is too large for this schema, or the schema branches too much`;
    return { valid: false, errors: [{ path: "", message }], tooCostly: true };
  }
  // The engine's word for a stack that is full.
  if (error instanceof RangeError) return { valid: false, errors: [{ path: "", message: "nests too deep" }] };
  throw error;
}
