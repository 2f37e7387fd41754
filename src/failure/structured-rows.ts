import { CALLER, type ClassificationRow, opening, words } from "./classification-row.ts";

const ZAI = ["zai", "zhipuai"];
const GOOGLE = ["gemini", "google", "vertex"];

/** Rows that decide by status, structured code, type, detail or parameter. */
export const STRUCTURED: readonly ClassificationRow[] = [
  // Balance errors come first: DeepSeek's 402 has the code "invalid_request_error".
  { kind: "payment required", status: [402], class: "quota_exhausted" },
  {
    kind: "Fireworks: account suspended or over its limit",
    provider: ["fireworks"],
    status: [412],
    class: "quota_exhausted",
  },
  {
    kind: "quota or credit used up",
    word: words(
      "insufficient_quota",
      "insufficient_balance",
      "insufficient_credits",
      "billing_error",
      "billing_not_active",
      "billing_hard_limit_reached",
      "credit_balance_exhausted",
      "organization_usage_limit_exceeded",
      "enforced_spend_limit_reached",
      "\\w+_spend_limit_exceeded",
      "exceeded_current_quota_error",
    ),
    class: "quota_exhausted",
  },
  {
    kind: "Anthropic: spend limit of the workspace",
    detail: /^error_code:enforced_spend_limit_reached$/,
    class: "quota_exhausted",
  },
  { kind: "Gemini: quota of the day", status: [200, 429], detail: /^quotaId:\w+PerDay/, class: "quota_exhausted" },
  // Z.ai uses 429 for most of these and distinguishes them by code (docs.z.ai/api-reference/api-code).
  {
    kind: "Z.ai: balance, plan or period used up",
    provider: ZAI,
    word: words("1113", "1304", "1308", "1309", "1310"),
    class: "quota_exhausted",
  },
  {
    kind: "Z.ai: rate or load",
    provider: ZAI,
    word: words("1302", "1303", "1305", "1312", "1313"),
    class: "capacity_shed",
  },
  {
    kind: "Z.ai: key or account",
    provider: ZAI,
    word: words("100[0-4]", "111[0-2]", "112[01]", "1220", "1311"),
    class: "auth",
  },
  {
    kind: "Z.ai: no such model",
    provider: ZAI,
    word: words("121[12]", "122[12]"),
    class: "bad_request",
    reason: "model_not_found",
  },
  { kind: "Z.ai: prompt too long", provider: ZAI, word: words("1261"), class: "bad_request", reason: "context_length" },
  { kind: "Z.ai: unsafe content", provider: ZAI, word: words("130[01]"), class: "content_filter" },
  { kind: "Z.ai: own fault", provider: ZAI, word: words("500", "1200", "1230", "1234"), class: "server_error" },
  {
    kind: "Mistral: prompt too long",
    provider: ["mistral"],
    word: words("3051"),
    class: "bad_request",
    reason: "context_length",
  },
  {
    kind: "Mistral: last message is the assistant's",
    provider: ["mistral"],
    word: words("3230"),
    class: "bad_request",
    reason: "prefill_rejected",
  },
  { kind: "Mistral: tier out of capacity", provider: ["mistral"], word: words("3505"), class: "capacity_shed" },

  {
    kind: "key refused",
    status: [200, 400, 401, 403],
    word: words(
      "invalid_api_key",
      "authentication_error",
      "permission_error",
      "permission_denied",
      "unauthenticated",
      "account_deactivated",
      "access_terminated",
    ),
    class: "auth",
  },
  {
    kind: "Google: key invalid or not allowed",
    detail: /^reason:(?:API_KEY_\w+|IAM_PERMISSION_DENIED|SERVICE_DISABLED|BILLING_DISABLED)$/,
    class: "auth",
  },
  {
    kind: "Gemini: location or billing set-up refused",
    provider: GOOGLE,
    status: [200, 400],
    word: words("FAILED_PRECONDITION"),
    class: "auth",
  },

  {
    kind: "content refused",
    word: words(
      "content_filter",
      "content_policy_violation",
      "content_moderation\\w*",
      "moderation_blocked",
      "invalid_prompt",
      "ResponsibleAIPolicyViolation",
      "data_?inspection_?failed",
    ),
    class: "content_filter",
  },
  { kind: "Azure: content refused", detail: /^innererror:ResponsibleAIPolicyViolation$/, class: "content_filter" },
  { kind: "OpenRouter: moderation", status: [200, 403], detail: /^moderation:/, class: "content_filter" },

  {
    kind: "model unknown",
    word: words(
      "model_not_found",
      "model_not_available",
      "model_decommissioned",
      "invalid_model",
      "DeploymentNotFound",
      "unknown_model",
    ),
    class: "bad_request",
    reason: "model_not_found",
  },
  {
    kind: "something unknown that the request refers to, not the model",
    status: [200, 404],
    word: words("not_found_error", "not_found"),
    message: opening(
      "(?:Not found: )?(?:The )?(?:requested |previous )?" +
        "(?:cache|cached ?content|file|document|container|response|item|skill|conversation|vector store|thread)\\b",
    ),
    class: "bad_request",
  },
  {
    kind: "model unknown",
    status: [200, 404],
    word: words("not_found_error", "not_found"),
    class: "bad_request",
    reason: "model_not_found",
  },

  // Groq returns 413 with rate_limit_exceeded when one request is larger than the limit: waiting does not help.
  {
    kind: "request larger than the model or limit takes",
    status: [413],
    class: "bad_request",
    reason: "context_length",
  },
  {
    kind: "prompt too long",
    word: words(
      "context_length_exceeded",
      "context_window_exceeded",
      "model_context_window_exceeded",
      "request_too_large",
      "too_many_prompt_tokens",
      "too_many_tokens",
      "string_above_max_length",
      "exceed_context_size_error",
    ),
    class: "bad_request",
    reason: "context_length",
  },

  {
    kind: "Groq: JSON against the schema",
    word: words("json_validate_failed"),
    message: opening("Generated JSON does not match"),
    class: "content_invalid",
    reason: "schema_violation",
  },
  { kind: "Groq: JSON not made", word: words("json_validate_failed"), class: "content_invalid", reason: "unparseable" },
  {
    kind: "Groq: tool call against its schema",
    word: words("tool_use_failed"),
    message: opening("Tool call validation failed"),
    class: "content_invalid",
    reason: "schema_violation",
  },
  { kind: "Groq: tool call not made", word: words("tool_use_failed"), class: "content_invalid", reason: "unparseable" },

  { kind: "schema refused", word: words("invalid_json_schema"), class: "bad_request", reason: "schema_too_complex" },
  {
    kind: "schema refused",
    status: CALLER,
    param: /^(?:response_format|text\.format|output_config\.format)/,
    class: "bad_request",
    reason: "schema_too_complex",
  },
  {
    kind: "Gemini: schema refused",
    status: CALLER,
    detail: /^field:generation_config\.response_(?:json_)?schema/,
    class: "bad_request",
    reason: "schema_too_complex",
  },
  {
    kind: "parameter refused",
    status: CALLER,
    word: words("unsupported_parameter", "unsupported_value", "unknown_parameter", "extra_forbidden"),
    class: "bad_request",
    reason: "unsupported_parameter",
  },
  {
    kind: "Mistral: parameter refused",
    status: CALLER,
    detail: /^type:extra_forbidden$/,
    class: "bad_request",
    reason: "unsupported_parameter",
  },

  {
    kind: "too many requests, or overloaded",
    word: words(
      "rate_limit_error",
      "rate_limit_exceeded",
      "rate_limit_reached_error",
      "too_many_requests",
      "resource_exhausted",
      "overloaded_error",
      "engine_overloaded_error",
      "model_overloaded",
      "server_is_overloaded",
      "slow_down",
      "unavailable",
      "service_tier_capacity_exceeded",
    ),
    class: "capacity_shed",
  },
];
