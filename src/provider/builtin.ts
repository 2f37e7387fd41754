/** The providers that need no entry in `modelrig.yaml`: how each is reached and how it differs from its dialect. */
import type { Quirks } from "../wire/dialect.ts";
import { CLAUDE } from "./claude-models.ts";
import { GPT } from "./gpt-models.ts";
import { DEEPSEEK, GEMINI, GROQ } from "./other-models.ts";
import type { ProviderSpec } from "./provider.ts";
import { SIM_PROVIDER } from "./sim/models.ts";

/** Reasoning models refuse sampling parameters; their chat snapshots do not reason. */
const OPENAI_REASONING = "^(?:ft:)?(o\\d|gpt-(?:[5-9]|\\d\\d)(?!.*-chat))";

/** Fields of OpenAI's platform that mean nothing elsewhere and are refused by strict upstreams. */
const PLATFORM_FIELDS = ["store", "metadata", "service_tier", "prediction", "safety_identifier", "prompt_cache_key"];

const row = (spec: Omit<ProviderSpec, "models" | "quirks"> & { quirks?: Quirks }): ProviderSpec => ({
  models: {},
  ...spec,
  quirks: spec.quirks ?? {},
});

const compatible = (
  name: string,
  baseUrl: string,
  rest: Partial<Omit<ProviderSpec, "name" | "baseUrl" | "dialect">>,
): ProviderSpec => ({
  name,
  dialect: "openai-chat",
  baseUrl,
  apiKeyEnv: `${name.toUpperCase()}_API_KEY`,
  capabilities: {},
  models: {},
  ...rest,
  quirks: rest.quirks ?? {},
});

export const BUILTIN_PROVIDERS: readonly ProviderSpec[] = [
  row({
    name: "openai",
    dialect: "openai-chat",
    baseUrl: "https://api.openai.com/v1",
    apiKeyEnv: "OPENAI_API_KEY",
    capabilities: { native_strict: true, json_object: true, tools: true },
    quirks: {
      reasoningModels: OPENAI_REASONING,
      developerRole: true,
      schemaSubset: "openai",
      maxTokensField: "max_completion_tokens",
      customTools: true,
      callIds: { most: 40 },
    },
    families: GPT,
  }),
  row({
    name: "anthropic",
    dialect: "anthropic-messages",
    baseUrl: "https://api.anthropic.com/v1",
    apiKeyEnv: "ANTHROPIC_API_KEY",
    capabilities: { tools: true, vision: true },
    quirks: {
      authHeader: { name: "x-api-key", value: "{key}" },
      headers: { "anthropic-version": "2023-06-01" },
      schemaSubset: "anthropic",
    },
    families: CLAUDE,
  }),
  row({
    name: "gemini",
    dialect: "gemini",
    baseUrl: "https://generativelanguage.googleapis.com/v1beta",
    apiKeyEnv: "GEMINI_API_KEY",
    capabilities: { native_strict: true, json_object: true, tools: true, vision: true },
    // The key goes into a header, never the URL, because URLs end up in logs.
    quirks: { authHeader: { name: "x-goog-api-key", value: "{key}" }, schemaSubset: "gemini" },
    families: GEMINI,
    priceProvider: "google",
  }),
  row({
    name: "azure",
    dialect: "openai-chat",
    // Every resource has its own host: https://<resource>.openai.azure.com/openai/v1
    baseUrl: "",
    apiKeyEnv: "AZURE_API_KEY",
    capabilities: { native_strict: true, json_object: true, tools: true },
    quirks: {
      authHeader: { name: "api-key", value: "{key}" },
      reasoningModels: OPENAI_REASONING,
      developerRole: true,
      schemaSubset: "openai",
      maxTokensField: "max_completion_tokens",
      customTools: true,
      callIds: { most: 40 },
    },
    families: GPT,
  }),
  compatible("mistral", "https://api.mistral.ai/v1", {
    capabilities: { native_strict: true, json_object: true, tools: true },
    quirks: {
      rename: { seed: "random_seed" },
      callIds: { alphabet: "alphanumeric", exact: 9 },
      // Returns 422 extra_forbidden for unknown fields, and reports usage in streams without being asked.
      noStreamOptions: true,
      omit: [...PLATFORM_FIELDS, "logit_bias", "logprobs", "top_logprobs", "user", "cache_control"],
    },
  }),
  compatible("groq", "https://api.groq.com/openai/v1", {
    capabilities: { json_object: true, tools: true },
    quirks: {
      maxTokensField: "max_completion_tokens",
      omit: ["logit_bias", "logprobs", "top_logprobs", "n", "messages[].name", "store", "metadata", "prediction"],
    },
    families: GROQ,
  }),
  compatible("xai", "https://api.x.ai/v1", {
    capabilities: { native_strict: true, json_object: true, tools: true },
    quirks: { outputExcludesReasoning: true, omit: [...PLATFORM_FIELDS, "logit_bias"] },
    priceProvider: "x-ai",
  }),
  compatible("deepseek", "https://api.deepseek.com", {
    capabilities: { native_strict: false, json_object: true, tools: true, vision: false },
    quirks: { omit: PLATFORM_FIELDS },
    families: DEEPSEEK,
  }),
  compatible("fireworks", "https://api.fireworks.ai/inference/v1", {
    capabilities: { native_strict: true, json_object: true },
    // Enforces the schema by grammar without showing it to the model.
    quirks: { coachNativeSchema: true, topK: true, omit: ["store", "metadata", "service_tier", "prediction"] },
  }),
  compatible("deepinfra", "https://api.deepinfra.com/v1/openai", {
    capabilities: { json_object: true },
    quirks: { topK: true, omit: PLATFORM_FIELDS },
  }),
  compatible("together", "https://api.together.xyz/v1", {
    capabilities: { json_object: true },
    quirks: { topK: true, omit: PLATFORM_FIELDS },
  }),
  compatible("zai", "https://api.z.ai/api/paas/v4", {
    capabilities: { native_strict: false, json_object: true, tools: true },
    quirks: { omit: [...PLATFORM_FIELDS, "logit_bias", "logprobs", "top_logprobs", "seed"] },
  }),
  compatible("openrouter", "https://openrouter.ai/api/v1", {
    // Whether a schema is enforced depends on the provider behind the router; with the flag only those that do are
    // asked.
    capabilities: { json_object: true },
    quirks: {
      extraBodyWithSchema: { provider: { require_parameters: true } },
      cacheBreakpoints: true,
      topK: true,
    },
  }),
  compatible("neuralwatt", "https://api.neuralwatt.com/v1", {
    capabilities: { json_object: true },
    quirks: { omit: PLATFORM_FIELDS },
  }),
  compatible("ollama", "http://127.0.0.1:11434/v1", {
    apiKeyEnv: undefined,
    capabilities: { native_strict: true, json_object: true },
    quirks: { omit: PLATFORM_FIELDS },
  }),
  SIM_PROVIDER,
];
