import { isRecord } from "../record.ts";

export type SchemaDraft = "2020-12" | "7";

const DRAFTS: readonly (readonly [RegExp, SchemaDraft])[] = [
  [/^https?:\/\/json-schema\.org\/draft\/(?:2020-12|2019-09)\/schema#?$/, "2020-12"],
  [/^https?:\/\/json-schema\.org\/draft-0[67]\/schema#?$/, "7"],
];

/**
 * The draft whose rules a schema is read by: 2020-12 unless `$schema` says otherwise; `undefined` for one not supported.
 * 2019-09 and draft-06 are read as their successors, which give the keywords they share the same meaning.
 */
export function draftOf(schema: unknown): SchemaDraft | undefined {
  const uri = isRecord(schema) ? schema["$schema"] : undefined;
  if (uri === undefined) return "2020-12";
  return typeof uri === "string" ? DRAFTS.find(([pattern]) => pattern.test(uri))?.[1] : undefined;
}
