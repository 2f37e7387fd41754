/** The keys of a route bundle as people write them. Rules across keys are in `check-*.ts`. */
import { z } from "zod";
import { patternFault } from "../json/pattern/pattern.ts";
import { isPointer } from "../json/pointer.ts";
import { ID_PATTERN } from "./identifier.ts";
import { PREDICATES, RUNGS } from "./route.ts";

const ROUTE_NAME = /^[A-Za-z0-9][A-Za-z0-9._-]{0,127}$/;
const VARIANT_NAME = /^[A-Za-z0-9][A-Za-z0-9._:-]{0,127}$/;
const WIRE_NAME = /^[A-Za-z0-9][A-Za-z0-9._:-]{0,63}$/;

const ID_RULE = "must be 1 to 128 letters, digits or ._:/@- and start with a letter or digit";
export const idShape = z.string().regex(ID_PATTERN, ID_RULE);
/** Provider names contain no slash: the first slash of a model word ends the provider. */
export const providerShape = idShape.refine((name) => !name.includes("/"), "a provider name holds no slash");
const candidateKeyShape = z
  .string()
  .regex(/^[^/]+\/.+$/, "must be written provider/model")
  .refine((key) => key.length <= 257 && ID_PATTERN.test(key.slice(0, 128)), ID_RULE);

/** Dollars. The upper bound keeps every amount a safe integer of nano-dollars. */
export const usdShape = z
  .number()
  .min(1e-9, "must be at least one billionth of a dollar")
  .max(1_000_000, "must be at most 1000000 dollars");
const milliseconds = z.int().min(1, "must be at least 1 ms").max(86_400_000, "must be at most a day (86400000 ms)");
const retries = z.int().min(0, "must be 0 or more").max(10, "must be at most 10");
const jsonSchemaShape = z.union(
  [z.boolean(), z.record(z.string(), z.unknown())],
  "expected a JSON Schema: a map or true/false",
);

const reasoningShape = z.object({
  effort: z.enum(["none", "minimal", "low", "medium", "high", "xhigh", "max"]).optional(),
  budget_tokens: z.int().min(1, "must be at least 1").optional(),
  summary: z.string().optional(),
});

const paramsShape = z.object({
  temperature: z.number().min(0, "must be between 0 and 2").max(2, "must be between 0 and 2").optional(),
  max_tokens: z.int().min(1, "must be at least 1").optional(),
  top_p: z.number().min(0, "must be between 0 and 1").max(1, "must be between 0 and 1").optional(),
  seed: z.int().optional(),
  stop: z.union([z.string(), z.array(z.string())], "expected a text or a list of texts").optional(),
  reasoning: reasoningShape.optional(),
  service_tier: z.string().regex(WIRE_NAME, "must be one word").optional(),
  extra: z.record(z.string(), z.unknown()).optional(),
});

const candidateShape = z.object({
  provider: providerShape,
  model: idShape,
  params: paramsShape.optional(),
  trial: z.boolean().optional(),
});

const templateShape = z.object({
  system: z.string().optional(),
  cached_context: z.string().optional(),
  user: z.string(),
});

const ladderShape = z
  .array(z.enum(RUNGS))
  .min(1, "must name at least one rung")
  .refine((rungs) => new Set(rungs).size === rungs.length, "must not name a rung twice")
  .refine(
    (rungs) => rungs.some((rung) => !rung.endsWith("_repair")),
    "needs a rung that asks for JSON, not only repairs",
  );

const variantShape = z.object({
  name: z
    .string()
    .regex(VARIANT_NAME, "must be letters, digits or ._:- and start with a letter or digit")
    .refine((name) => name !== "default", "the name default is reserved: it is the route as declared"),
  candidates: z.array(candidateShape).min(1, "must keep at least one candidate").optional(),
  template: templateShape.optional(),
  output: z.object({ ladder: ladderShape.optional() }).optional(),
  params: paramsShape.optional(),
  reasoning: reasoningShape.optional(),
});

const priceCeilingShape = z
  .object({ usd_per_1k: usdShape.optional(), usd_per_run: usdShape.optional() })
  .refine((it) => Object.keys(it).length === 1, "takes exactly one of usd_per_1k, usd_per_run");

const ordered = ({ min, max }: { min?: number | undefined; max?: number | undefined }) =>
  min === undefined || max === undefined || min <= max;

/** A range, or a value with a tolerance, absolute or relative to the value. */
const numberShape = z
  .object({
    min: z.number().optional(),
    max: z.number().optional(),
    value: z.number().optional(),
    tolerance: z.number().min(0, "must be 0 or more").optional(),
    relative: z.number().min(0, "must be 0 or more").optional(),
  })
  .refine((it) => Object.keys(it).length > 0, "needs min, max, or value")
  .refine(
    (it) => it.value === undefined || (it.min === undefined && it.max === undefined),
    "takes either a range (min, max) or a value with its tolerance",
  )
  .refine(
    (it) => it.value !== undefined || (it.tolerance === undefined && it.relative === undefined),
    "tolerance and relative say how far off a value may be; give the value",
  )
  .refine((it) => it.tolerance === undefined || it.relative === undefined, "takes one of tolerance, relative")
  .refine(ordered, "min must not be above max");

const itemCount = z.int().min(0, "must be 0 or more");

const expectShape = z
  .object({
    regex: z
      .string()
      .superRefine((source, context) => {
        const message = patternFault(source);
        if (message !== undefined) context.addIssue({ code: "custom", message });
      })
      .optional(),
    equals: z.unknown().optional(),
    number: numberShape.optional(),
    one_of: z.array(z.unknown()).min(1, "must list at least one value").optional(),
    exists: z.boolean().optional(),
    length: z
      .object({ min: itemCount.optional(), max: itemCount.optional() })
      .refine((it) => Object.keys(it).length > 0, "needs min, max, or both")
      .refine(ordered, "min must not be above max")
      .optional(),
    schema: jsonSchemaShape.optional(),
  })
  .refine(
    (it) => Object.keys(it).length === 1,
    "takes exactly one of regex, equals, number, one_of, exists, length, schema",
  );

const valueCheckShape = z.object({
  path: z.string().refine(isPointer, "must be a JSON pointer such as /total"),
  expect: expectShape,
  gate: z.boolean().optional(),
});

const fraction = z.number().min(0, "must be between 0 and 1").max(1, "must be between 0 and 1");

/** Every top-level key of a bundle. Lists are read element by element with their element's shape. */
export const bundleShape = {
  route: z
    .string()
    .regex(ROUTE_NAME, "must be letters, digits or ._- and start with a letter or digit")
    .refine((name) => name !== "auto", "the name auto is reserved for the auto lane"),
  description: z.string(),
  candidates: z.array(candidateShape),
  input: jsonSchemaShape,
  template: templateShape,
  output: z
    .object({ schema: jsonSchemaShape.optional(), schema_file: z.string().optional(), ladder: ladderShape.optional() })
    .refine(
      (it) => (it.schema === undefined) !== (it.schema_file === undefined),
      "takes exactly one of schema, schema_file",
    ),
  require: z.array(z.enum(PREDICATES)),
  retry: z.object({
    content_invalid: retries.optional(),
    network: retries.optional(),
    capacity_shed: retries.optional(),
    server_error: retries.optional(),
  }),
  timeouts: z.object({
    first_token_ms: milliseconds.optional(),
    idle_ms: milliseconds.optional(),
    attempt_ms: milliseconds.optional(),
    call_ms: milliseconds.optional(),
    stream_ms: milliseconds.optional(),
  }),
  timeout_ms: milliseconds,
  budget: z.object({
    usd_per_call: usdShape.optional(),
    usd_per_run: usdShape.optional(),
    usd_per_day: usdShape.optional(),
    usd_per_month: usdShape.optional(),
  }),
  allow_unpriced: z.boolean(),
  stream: z.enum(["live", "validated"]),
  on_content_filter: z.enum(["stop", "next"]),
  service_tier: z.string().regex(WIRE_NAME, "must be one word"),
  capture: z.boolean(),
  variants: z.array(variantShape),
  objective: z.object({
    mode: z.enum(["quality-first", "balanced", "cost-first"]),
    max_regret: fraction.optional(),
    max_conformance_drop: fraction.optional(),
    max_p95_ms: z
      .union(
        [z.number().positive(), z.string().regex(/^\d+(\.\d+)?x$/)],
        "must be milliseconds, or a factor such as 1.2x",
      )
      .optional(),
    price_ceiling: priceCeilingShape.optional(),
    lambda: z.number().min(0, "must be 0 or more").optional(),
  }),
  value_checks: z.array(valueCheckShape),
  bakeoff: z.object({
    reference: z.union([z.literal("auto"), candidateKeyShape], "must be auto or provider/model").optional(),
    reference_envelope_usd: usdShape.optional(),
    judge: z.object({ model: candidateKeyShape, max_samples: z.int().min(1, "must be at least 1") }).optional(),
    regret_monitor: z
      .object({ enabled: z.boolean(), sample_n: z.int().min(10, "must be at least 10").optional() })
      .optional(),
    upgrade_watch: z.boolean().optional(),
    quality_gate: z.object({ min_score: fraction }).optional(),
    evidence: z.literal("shape", "must be shape").optional(),
  }),
} as const;

type Shapes = typeof bundleShape;
/** The parts of a bundle that could be read; faulty elements of a list are undefined at their index. */
export type BundleDraft = {
  readonly [K in keyof Shapes]?: K extends "candidates" | "variants" | "value_checks"
    ? readonly (z.output<Shapes[K]>[number & keyof z.output<Shapes[K]>] | undefined)[]
    : z.output<Shapes[K]> | undefined;
};
export type CandidateDraft = z.output<typeof candidateShape>;
export type VariantDraft = z.output<typeof variantShape>;
export type ParamsDraft = z.output<typeof paramsShape>;
export type ReasoningDraft = z.output<typeof reasoningShape>;
