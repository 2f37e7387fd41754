/** A schema opened for work on its parts: a copy whose references are resolved and whose patterns are compiled. */
import { err, ok, type Result } from "../../failure/failure.ts";
import { compilePattern, type Pattern } from "../pattern/pattern.ts";
import { isRecord, type JsonRecord } from "../record.ts";
import { copySchema } from "./schema-copy.ts";
import { draftOf, type SchemaDraft } from "./schema-draft.ts";
import { type SchemaFault, schemaFaults } from "./schema-faults.ts";
import { resolveReferences, type SchemaPart } from "./schema-references.ts";
import { findUnenforceable } from "./unsupported.ts";

export interface SchemaDocument {
  readonly root: SchemaPart;
  readonly draft: SchemaDraft;
  /** By the part that holds a `$ref`: the part it leads to. */
  readonly targets: ReadonlyMap<JsonRecord, SchemaPart>;
  /** The parts that some `$ref` leads to: one value may come to them on many ways. */
  readonly shared: ReadonlySet<SchemaPart>;
  /** JSON pointer of each part from the top of the schema. */
  readonly pointers: ReadonlyMap<SchemaPart, string>;
  readonly patterns: ReadonlyMap<string, Pattern>;
  /** Some part asks which members or items others have judged (`unevaluatedProperties`, `unevaluatedItems`). */
  readonly tracks: boolean;
}

/** What the patterns of one schema may hold together. */
const MAX_PATTERN_STATES = 100_000;

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
  const draft = draftOf(schema) ?? "2020-12";
  const faults = schemaFaults(schema, draft);
  if (faults.length > 0) return err(faults);
  const unenforceable = findUnenforceable(schema);
  if (unenforceable.length > 0) return err(unenforceable.map(({ pointer, why }) => ({ pointer, message: why })));
  const copy = copySchema(schema, draft);
  const root: SchemaPart = isRecord(copy) ? copy : copy === true;
  const { targets, pointers, faults: broken } = resolveReferences(root);
  if (broken.length > 0) return err(broken);
  const parts = [...pointers.keys()].filter(isRecord);
  const patterns = compilePatterns(parts);
  if (!patterns.ok) return patterns;
  const tracks = parts.some((part) => "unevaluatedProperties" in part || "unevaluatedItems" in part);
  return ok({ root, draft, targets, shared: new Set(targets.values()), pointers, patterns: patterns.value, tracks });
}

function compilePatterns(parts: readonly JsonRecord[]): Result<Map<string, Pattern>, readonly SchemaFault[]> {
  const patterns = new Map<string, Pattern>();
  let states = 0;
  for (const { pattern, patternProperties } of parts) {
    const named = isRecord(patternProperties) ? Object.keys(patternProperties) : [];
    for (const source of typeof pattern === "string" ? [pattern, ...named] : named) {
      if (patterns.has(source)) continue;
      const compiled = compilePattern(source);
      if (!compiled.ok) return err([{ pointer: "", message: compiled.error.message }]);
      states += compiled.value.size;
      if (states > MAX_PATTERN_STATES) {
        return err([{ pointer: "", message: `its patterns take more than ${MAX_PATTERN_STATES} states together` }]);
      }
      patterns.set(source, compiled.value);
    }
  }
  return ok(patterns);
}
