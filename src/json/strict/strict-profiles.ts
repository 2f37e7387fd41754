/** What each provider's strict mode takes of JSON Schema, as data. Facts as the providers document them, 2026-11. */

export type StrictSubset = "openai" | "anthropic" | "gemini";

export interface StrictProfile {
  /** Keywords that narrow a value and that the provider itself enforces; all others move into the description. */
  readonly enforced: readonly string[];
  /** Values of `format` that the provider takes. */
  readonly formats: readonly string[];
  /** A property that may be absent: left out of `required`, or required and nullable because all must be listed. */
  readonly optional: "left_out" | "nullable";
  /** How "or null" and several types are written. */
  readonly union: "type_list" | "any_of" | "nullable_flag";
  /** Whether `$ref` and `$defs` are sent: as they are, only where they run in no circle, or never. */
  readonly references: "any" | "acyclic" | "none";
  /** Which values `enum` may list; others move into the description. */
  readonly enumOf: "anything" | "scalars" | "strings";
  readonly hasConst: boolean;
  /** Whether objects are closed by `additionalProperties: false`; the alternative knows no such keyword. */
  readonly closes: boolean;
  /** Whether the answer must be an object at the top. */
  readonly objectRoot: boolean;
  /** Whether the order of properties is stated apart. */
  readonly propertyOrdering: boolean;
  readonly limits: StrictLimits;
}

interface StrictLimits {
  /** Objects and arrays within each other. */
  readonly levels: number;
  readonly properties: number;
  readonly enumValues: number;
  /** Characters of all property names, definition names, enum and const values together. */
  readonly nameCharacters: number;
  /** Characters of one enum of more than 250 strings. */
  readonly largeEnumCharacters: number;
}

const FORMATS = ["date-time", "time", "date", "duration", "email", "hostname", "ipv4", "ipv6", "uuid"];
const NO_LIMITS: StrictLimits = {
  levels: Number.POSITIVE_INFINITY,
  properties: Number.POSITIVE_INFINITY,
  enumValues: Number.POSITIVE_INFINITY,
  nameCharacters: Number.POSITIVE_INFINITY,
  largeEnumCharacters: Number.POSITIVE_INFINITY,
};

export const STRICT_PROFILES: Readonly<Record<StrictSubset, StrictProfile>> = {
  openai: {
    enforced: [
      ...["minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "multipleOf"],
      ...["minItems", "maxItems", "pattern"],
    ],
    formats: FORMATS,
    optional: "nullable",
    union: "type_list",
    references: "any",
    enumOf: "anything",
    hasConst: true,
    closes: true,
    objectRoot: true,
    propertyOrdering: false,
    limits: {
      levels: 10,
      properties: 5_000,
      enumValues: 1_000,
      nameCharacters: 120_000,
      largeEnumCharacters: 15_000,
    },
  },
  anthropic: {
    enforced: [],
    formats: [...FORMATS, "uri"],
    optional: "left_out",
    union: "any_of",
    references: "acyclic",
    enumOf: "scalars",
    hasConst: true,
    closes: true,
    objectRoot: false,
    propertyOrdering: false,
    limits: NO_LIMITS,
  },
  gemini: {
    enforced: [
      ...["minimum", "maximum", "minItems", "maxItems", "minLength", "maxLength", "pattern"],
      ...["minProperties", "maxProperties"],
    ],
    formats: ["date-time"],
    optional: "left_out",
    union: "nullable_flag",
    references: "none",
    enumOf: "strings",
    hasConst: false,
    closes: false,
    objectRoot: false,
    propertyOrdering: true,
    limits: NO_LIMITS,
  },
};
