/** What a schema may say that the validator does not check. `modelrig routes check` refuses a route that relies on it. */
import { pointerTo } from "../pointer.ts";
import { draftOf, isOfLaterDraft, type SchemaDraft } from "./schema-draft.ts";
import { schemaNodes } from "./schema-keywords.ts";

interface UnsupportedKeyword {
  /** JSON pointer to the keyword in the schema. */
  readonly pointer: string;
  readonly keyword: string;
  readonly why: string;
}

interface Gap {
  readonly why: string;
  /** Left unchecked, a document would pass that the standard says must fail (or the reverse). */
  readonly asserts: boolean;
}

/** Keywords, found from the groups of the JSON Schema Test Suite that fail, and keywords of OpenAPI that look alike. */
export const UNSUPPORTED_KEYWORDS: Readonly<Record<string, Gap>> = {
  $dynamicRef: { why: "dynamic references are not resolved; use $ref", asserts: true },
  $dynamicAnchor: { why: "dynamic references are not resolved; use $anchor", asserts: true },
  $recursiveRef: { why: "recursive references of draft 2019-09 are not resolved; use $ref", asserts: true },
  $recursiveAnchor: { why: "recursive references of draft 2019-09 are not resolved; use $ref", asserts: true },
  $vocabulary: { why: "custom vocabularies are not read", asserts: true },
  contentEncoding: { why: "encoded content is not decoded or checked", asserts: false },
  contentMediaType: { why: "encoded content is not decoded or checked", asserts: false },
  contentSchema: { why: "encoded content is not decoded or checked", asserts: false },
};

/** Formats of the standard that no check exists for. Formats outside the standard are notes, as the standard says. */
export const UNSUPPORTED_FORMATS: readonly string[] = ["idn-email", "idn-hostname", "iri", "iri-reference"];

/** They name a part and judge nothing. */
const IDENTIFIERS = ["$id", "$anchor"];

/** Everything in `schema` that would go unchecked. Empty: all of it is enforced. */
export function findUnsupported(schema: unknown): UnsupportedKeyword[] {
  return [...gapsIn(schema)].map(({ pointer, keyword, why }) => ({ pointer, keyword, why }));
}

/** The part of {@link findUnsupported} for which no validator is made at all: the verdict would be wrong. */
export function findUnenforceable(schema: unknown): UnsupportedKeyword[] {
  return [...gapsIn(schema)].filter(({ asserts }) => asserts);
}

function* gapsIn(schema: unknown): Generator<UnsupportedKeyword & Gap> {
  const draft = draftOf(schema);
  for (const { pointer, schema: node } of schemaNodes(schema)) {
    for (const [keyword, value] of Object.entries(node)) {
      const gap = gapAt(keyword, value, draft);
      if (gap) yield { pointer: pointerTo(pointer, keyword), keyword, ...gap };
    }
  }
}

function gapAt(keyword: string, value: unknown, draft: SchemaDraft | undefined): Gap | undefined {
  if (Object.hasOwn(UNSUPPORTED_KEYWORDS, keyword)) return UNSUPPORTED_KEYWORDS[keyword];
  if (keyword === "format" && typeof value === "string" && UNSUPPORTED_FORMATS.includes(value)) {
    return { why: `the format ${value} is not checked`, asserts: false };
  }
  if (keyword === "$schema" && (draft === undefined || draftOf({ $schema: value }) !== draft)) {
    return { why: "drafts 04, 06, 07, 2019-09 and 2020-12 are supported, one for the whole schema", asserts: true };
  }
  if (draft !== undefined && !IDENTIFIERS.includes(keyword) && isOfLaterDraft(keyword, draft)) {
    return { why: `draft ${draft} has no such keyword and ignores it; name a later draft in $schema`, asserts: false };
  }
  return undefined;
}
