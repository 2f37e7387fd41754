import { isRecord } from "../record.ts";

export type SchemaDraft = "2020-12" | "2019-09" | "7" | "6" | "4";

const DRAFTS: readonly (readonly [RegExp, SchemaDraft])[] = [
  [/^https?:\/\/json-schema\.org\/draft\/2020-12\/schema#?$/, "2020-12"],
  [/^https?:\/\/json-schema\.org\/draft\/2019-09\/schema#?$/, "2019-09"],
  [/^https?:\/\/json-schema\.org\/draft-07\/schema#?$/, "7"],
  [/^https?:\/\/json-schema\.org\/draft-06\/schema#?$/, "6"],
  [/^https?:\/\/json-schema\.org\/draft-04\/schema#?$/, "4"],
];

/** The draft whose rules a schema is read by: 2020-12 unless `$schema` says otherwise; `undefined` for one not supported. */
export function draftOf(schema: unknown): SchemaDraft | undefined {
  const uri = isRecord(schema) ? schema["$schema"] : undefined;
  if (uri === undefined) return "2020-12";
  return typeof uri === "string" ? DRAFTS.find(([pattern]) => pattern.test(uri))?.[1] : undefined;
}

/** Keywords that a draft does not have, and ignores, although others do. */
const SINCE: readonly (readonly [readonly SchemaDraft[], readonly string[]])[] = [
  [["4"], ["$id", "const", "contains", "propertyNames"]],
  [
    ["4", "6"],
    ["if", "then", "else"],
  ],
  [
    ["4", "6", "7"],
    [
      ...["$anchor", "dependentRequired", "dependentSchemas", "minContains", "maxContains"],
      ...["unevaluatedItems", "unevaluatedProperties"],
    ],
  ],
  [["4", "6", "7", "2019-09"], ["prefixItems"]],
];

/** Whether the keyword belongs to a later draft than the schema's own, whose rules ignore it. */
export function isOfLaterDraft(keyword: string, draft: SchemaDraft): boolean {
  return SINCE.some(([drafts, keywords]) => drafts.includes(draft) && keywords.includes(keyword));
}

/** In the drafts before 2019-09 only definitions count beside a `$ref`. */
export function refStandsAlone(draft: SchemaDraft): boolean {
  return draft === "4" || draft === "6" || draft === "7";
}
