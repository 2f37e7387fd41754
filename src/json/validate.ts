/**
 * Validation against JSON Schema (draft 2020-12, or draft-07 where `$schema` says so) on `@cfworker/json-schema`, which
 * interprets schemas: workerd allows no generated code. Remote references are never fetched; `format` is enforced.
 */
import { dereference, type Schema, validate } from "@cfworker/json-schema";
import { err, ok, type Result } from "../failure/failure.ts";
import { isRecord } from "./record.ts";
import { copySchema } from "./schema-copy.ts";
import { draftOf, type SchemaDraft } from "./schema-draft.ts";
import { type SchemaFault, schemaFaults } from "./schema-faults.ts";
import { referenceFaults, type SchemaLookup } from "./schema-references.ts";
import { findUnenforceable } from "./unsupported.ts";

export type { SchemaFault } from "./schema-faults.ts";

export interface ValidationError {
  /** JSON pointer into the value; `""` is the value itself. */
  readonly path: string;
  /** What is expected there. Holds keywords and names of the schema, and may hold property names of the value. */
  readonly message: string;
}

export type Validation =
  | { readonly valid: true }
  | { readonly valid: false; readonly errors: readonly ValidationError[] };

export type SchemaValidator = (value: unknown) => Validation;

/** At most this many errors are reported of one value. */
const MAX_ERRORS = 50;

const compiled = new WeakMap<object, Result<SchemaValidator, readonly SchemaFault[]>>();

/**
 * The validator of a schema, made once per schema object. Fails where the schema is malformed, refers to what is not in
 * it, or relies on a keyword that would not be enforced (see `unsupported.ts`). The schema itself is not modified.
 */
export function compileSchema(schema: unknown): Result<SchemaValidator, readonly SchemaFault[]> {
  if (!isRecord(schema)) return compile(schema);
  const known = compiled.get(schema);
  if (known) return known;
  const result = compile(schema);
  compiled.set(schema, result);
  return result;
}

function compile(schema: unknown): Result<SchemaValidator, readonly SchemaFault[]> {
  const faults = schemaFaults(schema);
  if (faults.length > 0) return err(faults);
  const unenforceable = findUnenforceable(schema);
  if (unenforceable.length > 0) return err(unenforceable.map(({ pointer, why }) => ({ pointer, message: why })));
  const draft = draftOf(schema) ?? "2020-12";
  const copy = copySchema(schema, draft) as Schema | boolean;
  let lookup: SchemaLookup;
  try {
    lookup = dereference(copy);
  } catch (error) {
    return err([{ pointer: "", message: error instanceof Error ? error.message : String(error) }]);
  }
  const broken = referenceFaults(lookup);
  return broken.length > 0 ? err(broken) : ok(validatorOf(copy, draft, lookup));
}

function validatorOf(schema: Schema | boolean, draft: SchemaDraft, lookup: SchemaLookup): SchemaValidator {
  return function validateAgainstSchema(value) {
    try {
      // Most values are valid, and the first error decides; only then is the work of listing all of them done.
      const first = validate(value, schema, draft, lookup, true);
      if (first.valid) return { valid: true };
      const all = validate(value, schema, draft, lookup, false).errors;
      return { valid: false, errors: readable(all.length > 0 ? all : first.errors) };
    } catch (error) {
      if (!(error instanceof RangeError)) throw error;
      return { valid: false, errors: [{ path: "", message: "The value nests too deep, or holds too many errors." }] };
    }
  };
}

type LibraryError = ReturnType<typeof validate>["errors"][number];

/** Keywords that only say that something below them failed; the errors below follow. */
const WRAPPERS = ["$ref", "allOf", "properties", "patternProperties", "items", "prefixItems", "additionalItems", "if"];

function readable(errors: readonly LibraryError[]): readonly ValidationError[] {
  const telling = errors.filter(({ keyword }) => !WRAPPERS.includes(keyword));
  const seen = new Map<string, ValidationError>();
  for (const { instanceLocation, error } of telling.length > 0 ? telling : errors) {
    if (seen.size >= MAX_ERRORS) break;
    const found = { path: plainPointer(instanceLocation), message: error };
    seen.set(`${found.path} ${error}`, found);
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
