/** The keys of `modelrig.yaml` as people write them. */
import { z } from "zod";
import { finderFault } from "../json/pattern/pattern.ts";
import { isPointer } from "../json/pointer.ts";
import { idShape, providerShape, usdShape } from "../route/bundle-shape.ts";

/** YAML word → dialect folder. */
export const DIALECT_WORDS = {
  openai: "openai-chat",
  "openai-responses": "openai-responses",
  anthropic: "anthropic-messages",
  gemini: "gemini",
} as const;

const ENV_NAME = /^[A-Z][A-Z0-9_]*$/;
const HEADER_NAME = /^[a-z0-9][a-z0-9-]*$/;

/** Dollars per million tokens. Zero is a price (free), absence is not. */
const rate = z.number().min(0, "must be 0 or more").max(100_000, "must be at most 100000 dollars per million");

const priceShape = z.object({
  input_per_million: rate,
  output_per_million: rate,
  cached_input_per_million: rate.optional(),
  cache_write_per_million: rate.optional(),
  cache_write_1h_per_million: rate.optional(),
  reasoning_per_million: rate.optional(),
  per_request_usd: rate.optional(),
  tiers: z
    .array(
      z.object({
        above_tokens: z.int().min(1, "must be at least 1"),
        input_per_million: rate.optional(),
        output_per_million: rate.optional(),
        cached_input_per_million: rate.optional(),
        cache_write_per_million: rate.optional(),
      }),
    )
    .optional(),
  tier_multipliers: z.object({ flex: rate.optional(), priority: rate.optional(), batch: rate.optional() }).optional(),
});

const capabilitiesShape = z.object({
  native_strict: z.boolean().optional(),
  json_object: z.boolean().optional(),
  vision: z.boolean().optional(),
  tools: z.boolean().optional(),
  grounding: z.boolean().optional(),
  reasoning: z.boolean().optional(),
  trace_visible: z.boolean().optional(),
  zdr: z.boolean().optional(),
});

const modelShape = z.object({
  price: priceShape.optional(),
  context_window: z.int().min(1, "must be at least 1").optional(),
  max_output: z.int().min(1, "must be at least 1").optional(),
  capabilities: capabilitiesShape.optional(),
});

const regexText = z.string().superRefine((source, context) => {
  const message = finderFault(source);
  if (message !== undefined) context.addIssue({ code: "custom", message });
});
const headerValue = z.string().regex(/^[\t\x20-\x7e]*$/, "must be printable ASCII on one line");

const quirksShape = z.object({
  omit: z.array(z.string()).optional(),
  rename: z.record(z.string(), z.string()).optional(),
  max_tokens_field: z.enum(["max_tokens", "max_completion_tokens"]).optional(),
  top_k: z.boolean().optional(),
  cache_breakpoints: z.boolean().optional(),
  custom_tools: z.boolean().optional(),
  call_ids: z
    .object({
      alphabet: z.enum(["alphanumeric", "word"]).optional(),
      exact: z.int().min(4, "must be at least 4").max(64, "must be at most 64").optional(),
      most: z.int().min(8, "must be at least 8").max(256, "must be at most 256").optional(),
    })
    .optional(),
  no_stream_options: z.boolean().optional(),
  output_excludes_reasoning: z.boolean().optional(),
  input_excludes_cached: z.boolean().optional(),
  coach_native_schema: z.boolean().optional(),
  extra_body: z.record(z.string(), z.unknown()).optional(),
  extra_body_with_schema: z.record(z.string(), z.unknown()).optional(),
  reasoning_models: regexText.optional(),
  developer_role: z.boolean().optional(),
  schema_subset: z.enum(["openai", "anthropic", "gemini"]).optional(),
  path: z.string().regex(/^\//, "must start with a slash").optional(),
  auth_header: z
    .object({ name: z.string().regex(HEADER_NAME, "must be a lower-case header name"), value: headerValue })
    .optional(),
  headers: z.record(z.string().regex(HEADER_NAME, "must be a lower-case header name"), headerValue).optional(),
});

const providerEntryShape = z.object({
  dialect: z.enum(["openai", "openai-responses", "anthropic", "gemini"]).optional(),
  base_url: z.string().refine(isBaseUrl, "must be an http or https URL without query or credentials").optional(),
  api_key_env: z
    .string()
    .regex(ENV_NAME, "must be the NAME of a secret such as ACME_API_KEY, never the key itself")
    .optional(),
  price_provider: z.string().optional(),
  stops_billing_on_disconnect: z
    .string()
    .min(1, "must name the document that says so")
    .max(500, "must be at most 500 characters")
    .optional(),
  exact_streams: z.boolean().optional(),
  capabilities: capabilitiesShape.optional(),
  quirks: quirksShape.optional(),
  models: z.record(z.string(), modelShape).optional(),
});

const redactionShape = z
  .object({
    path: z.string().refine(isPointer, "must be a JSON pointer such as /user/email").optional(),
    regex: regexText.optional(),
    replace: z.string().optional(),
  })
  .refine((it) => (it.path === undefined) !== (it.regex === undefined), "takes exactly one of path, regex");

const days = z.int().min(1, "must be at least 1 day").max(36_500, "must be at most 36500 days");

const origin = z
  .string()
  .refine(isOrigin, "must be an exact origin such as https://app.example.com, without a path, a slash at its end or *");

const MINUTE_MS = 60_000;
const UNIT_MS: Readonly<Record<string, number>> = { m: MINUTE_MS, h: 60 * MINUTE_MS, d: 1_440 * MINUTE_MS };
const LONGEST_TTL_MS = 30 * 1_440 * MINUTE_MS;

/** `90m`, `24h`, `7d`, in milliseconds. */
const ttl = z
  .string()
  .regex(/^[1-9]\d{0,5}[mhd]$/, "must be a time such as 90m, 24h or 7d")
  .transform((text) => Number(text.slice(0, -1)) * (UNIT_MS[text.slice(-1)] ?? 0))
  .refine((ms) => ms <= LONGEST_TTL_MS, "must be at most 30d");

/** Every top-level key. */
export const configShape = {
  providers: z.record(z.string(), providerEntryShape),
  budget: z.object({ org_usd_per_month: usdShape.optional() }),
  limits: z.object({
    body_bytes: z.int().min(1_024, "must be at least 1024").max(100_000_000, "must be at most 100000000").optional(),
    header_bytes: z.int().min(1_024, "must be at least 1024").max(131_072, "must be at most 131072").optional(),
    json_depth: z.int().min(8, "must be at least 8").max(512, "must be at most 512").optional(),
  }),
  sim: z.object({
    enabled: z.boolean().optional(),
    latency: z.number().min(0, "must be between 0 and 1").max(1, "must be between 0 and 1").optional(),
  }),
  keep_alive_ms: z
    .int()
    .refine((ms) => ms === 0 || (ms >= 1_000 && ms <= 60_000), "must be 0 (off) or 1000 to 60000 ms"),
  capture: z.object({
    redact: z.array(redactionShape).optional(),
    keep_days: days.optional(),
    max_mb: z.int().min(1, "must be at least 1").optional(),
  }),
  cors: z.object({ origins: z.array(origin).max(100, "must be at most 100 origins") }),
  responses_store: z.object({ ttl }),
} as const;

type Shapes = typeof configShape;
export type ConfigDraft = { readonly [K in keyof Shapes]?: z.output<Shapes[K]> | undefined };
export type ProviderEntry = z.output<typeof providerEntryShape>;
export type PriceDraft = z.output<typeof priceShape>;
export type QuirksDraft = z.output<typeof quirksShape>;
export type ModelDraft = z.output<typeof modelShape>;

/** Names and ids obey the same rule wherever they are written. */
export function nameFault(kind: "provider" | "model", name: string): string | undefined {
  const result = (kind === "provider" ? providerShape : idShape).safeParse(name);
  return result.success
    ? undefined
    : `${kind} id ${JSON.stringify(name)} ${result.error.issues[0]?.message ?? "is invalid"}`;
}

function isBaseUrl(text: string): boolean {
  if (!URL.canParse(text)) return false;
  const url = new URL(text);
  return (
    /^https?:$/.test(url.protocol) && url.search === "" && url.hash === "" && url.username === "" && url.password === ""
  );
}

/** As a browser sends it: lower case, no default port. A `*` is part of no host name, though a URL may hold one. */
function isOrigin(text: string): boolean {
  return /^https?:[^*]*$/.test(text) && URL.canParse(text) && new URL(text).origin === text;
}
