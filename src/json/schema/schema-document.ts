/**
 * A schema opened for work on its parts: a copy whose references are resolved, each part of which can judge a value.
 * `@cfworker/json-schema` interprets schemas, so nothing here generates code (workerd forbids it).
 */
import { dereference, type Schema, validate } from "@cfworker/json-schema";
import { err, ok, type Result } from "../../failure/failure.ts";
import { isRecord } from "../record.ts";
import { copySchema } from "./schema-copy.ts";
import { draftOf, type SchemaDraft } from "./schema-draft.ts";
import { type SchemaFault, schemaFaults } from "./schema-faults.ts";
import { referenceFaults, type SchemaLookup, targetOf } from "./schema-references.ts";
import { findUnenforceable } from "./unsupported.ts";

export interface SchemaDocument {
  readonly root: Schema | boolean;
  readonly draft: SchemaDraft;
  /** Every schema in the document by its absolute URI. */
  readonly lookup: SchemaLookup;
}

export type LibraryError = ReturnType<typeof validate>["errors"][number];

const opened = new WeakMap<object, Result<SchemaDocument, readonly SchemaFault[]>>();

/** Opens a schema, once per schema object. The schema given is not modified and must not be modified afterwards. */
export function openSchema(schema: unknown): Result<SchemaDocument, readonly SchemaFault[]> {
  if (!isRecord(schema)) return open(schema);
  const known = opened.get(schema);
  if (known) return known;
  const result = open(schema);
  opened.set(schema, result);
  return result;
}

function open(schema: unknown): Result<SchemaDocument, readonly SchemaFault[]> {
  const faults = schemaFaults(schema);
  if (faults.length > 0) return err(faults);
  const unenforceable = findUnenforceable(schema);
  if (unenforceable.length > 0) return err(unenforceable.map(({ pointer, why }) => ({ pointer, message: why })));
  const draft = draftOf(schema) ?? "2020-12";
  const root = copySchema(schema, draft) as Schema | boolean;
  let lookup: SchemaLookup;
  try {
    lookup = dereference(root);
  } catch (error) {
    return err([{ pointer: "", message: error instanceof Error ? error.message : String(error) }]);
  }
  const broken = referenceFaults(lookup);
  return broken.length > 0 ? err(broken) : ok({ root, draft, lookup });
}

/** References followed while one value is judged. Honest schemas follow about one per array item or object. */
const MOST_REFERENCES = 100_000;

/** A value that cannot be judged within {@link MOST_REFERENCES}. */
export class TooMuchWork extends RangeError {
  override readonly name = "TooMuchWork" as const;
}

/**
 * What a part of the document finds wrong with a value; none where it conforms. `all` lists every error, else the first
 * is enough. Throws `RangeError` where the value nests too deep for the stack, `TooMuchWork` where the schema branches
 * so much that judging it would hold the isolate.
 */
export function errorsAt(
  { draft, lookup }: SchemaDocument,
  part: Schema | boolean,
  value: unknown,
  all = false,
): readonly LibraryError[] {
  return validate(value, part, draft, counted(lookup), !all).errors;
}

/** Without references the work grows with the schema's text; with them it can double at each level of a short one. */
function counted(lookup: SchemaLookup): SchemaLookup {
  let followed = 0;
  return new Proxy(lookup, {
    get(schemas, uri) {
      followed += 1;
      if (followed > MOST_REFERENCES) throw new TooMuchWork(`more than ${MOST_REFERENCES} references to follow`);
      return Reflect.get(schemas, uri);
    },
  });
}

/** Whether a part of the document accepts a value; one that cannot be judged is not accepted. */
export function accepts(document: SchemaDocument, part: Schema | boolean, value: unknown): boolean {
  try {
    return errorsAt(document, part, value).length === 0;
  } catch (error) {
    if (error instanceof RangeError) return false;
    throw error;
  }
}

/** The schema that a part's `$ref` leads to; `undefined` where it has none. */
export function referenced(document: SchemaDocument, part: Schema): Schema | boolean | undefined {
  return targetOf(part, document.lookup) ?? undefined;
}
