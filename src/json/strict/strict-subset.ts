/**
 * A schema rewritten into the subset that a provider's strict mode takes. What the provider would refuse moves into the
 * description, so that the model still reads it; the answer is validated against the original schema in any case.
 */
import { err, ok, type Result } from "../../failure/failure.ts";
import type { JsonRecord } from "../record.ts";
import { openSchema } from "../schema/schema-document.ts";
import { SchemaFitter, type StrictFault } from "./strict-fitter.ts";
import { limitFaults } from "./strict-limits.ts";
import { STRICT_PROFILES, type StrictSubset } from "./strict-profiles.ts";

export type { StrictFault } from "./strict-fitter.ts";
export type { StrictSubset } from "./strict-profiles.ts";

interface StrictSchema {
  readonly schema: JsonRecord;
  /** The provider enforces less than the original says: an answer of its may still not conform. */
  readonly lossy: boolean;
  /** Answers hold null where the original lets a property be absent: `undoNullable` takes them back. */
  readonly nullsForAbsent: boolean;
  /** JSON pointers, in the original, of the keywords that moved into descriptions. */
  readonly moved: readonly string[];
}

const fitted = new WeakMap<object, Map<StrictSubset, Result<StrictSchema, readonly StrictFault[]>>>();

/**
 * Fits a schema to a subset, once per schema object. Fails where the subset cannot express it (free-form objects,
 * tuples, recursion where it is refused, a provider's limits): the caller then asks in another way.
 * With `openai`, properties that may be absent come back as null: see `undoNullable`.
 */
export function toStrictSubset(
  schema: boolean | JsonRecord,
  subset: StrictSubset,
): Result<StrictSchema, readonly StrictFault[]> {
  if (typeof schema === "boolean") return err([{ pointer: "", why: "says nothing about the answer" }]);
  const known = fitted.get(schema) ?? new Map<StrictSubset, Result<StrictSchema, readonly StrictFault[]>>();
  fitted.set(schema, known);
  const result = known.get(subset) ?? rewrite(schema, subset);
  known.set(subset, result);
  return result;
}

function rewrite(schema: JsonRecord, subset: StrictSubset): Result<StrictSchema, readonly StrictFault[]> {
  const document = openSchema(schema);
  if (!document.ok) return err(document.error.map(({ pointer, message }) => ({ pointer, why: message })));
  const profile = STRICT_PROFILES[subset];
  const fitter = new SchemaFitter(document.value, profile);
  const fittedSchema = fitter.fitRoot();
  const faults = fitter.faults.length > 0 ? fitter.faults : limitFaults(fittedSchema, profile);
  if (faults.length > 0) return err(faults);
  const { lossy, moved, nullsForAbsent } = fitter;
  return ok({ schema: fittedSchema, lossy: lossy || moved.length > 0, nullsForAbsent, moved });
}
