import type { FailureClass, FailureReason } from "./failure.ts";

/** One kind of provider error. Every condition that is given must hold; the first row that matches decides. */
export interface ClassificationRow {
  /** What it is, for whoever reads the table. */
  readonly kind: string;
  readonly provider?: readonly string[];
  /** Status of the answer, or the one a 200 carries as its error code; 200 where it carries none. */
  readonly status?: readonly number[];
  /** The structured code or type. */
  readonly word?: RegExp;
  /** One of the structured details, `key:value`. */
  readonly detail?: RegExp;
  readonly param?: RegExp;
  /** Opening words of the message. Never a number: an upstream echoes ids and counts of the request. */
  readonly message?: RegExp;
  readonly class: FailureClass;
  readonly reason?: FailureReason;
}

const ZAI = ["zai", "zhipuai"];
const GOOGLE = ["gemini", "google", "vertex"];
/** Statuses that blame the request, and the 200 of an error inside a stream. */
const CALLER = [200, 400, 404, 422];

function words(...alternatives: readonly string[]): RegExp {
  return new RegExp(`^(?:${alternatives.join("|")})$`, "i");
}

function opening(...alternatives: readonly string[]): RegExp {
  return new RegExp(`^(?:${alternatives.join("|")})`, "i");
}

/** Decided by status, structured code, type, detail or parameter. */
const STRUCTURED: readonly ClassificationRow[] = [
  // Money first: DeepSeek's 402 carries the code "invalid_request_error".
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
  // Z.ai answers most of these with 429 and tells them apart by code (docs.z.ai/api-reference/api-code).
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
    kind: "model unknown",
    status: [200, 404],
    word: words("not_found_error", "not_found"),
    class: "bad_request",
    reason: "model_not_found",
  },

  // Groq answers 413 with rate_limit_exceeded when one request is larger than the limit: waiting does not help.
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

/** Where the structure leaves several meanings, the opening words of the provider's own sentence decide. */
const WORDED: readonly ClassificationRow[] = [
  {
    kind: "assistant prefill refused",
    status: CALLER,
    message: opening(
      "This model does not support assistant message prefill",
      "Expected last role User or Tool",
      "Last message must have role",
      "Please ensure that (?:single|multi)[ -]?turn requests end with a user role",
      "Cannot set `add_generation_prompt` to True when the last message is from the assistant",
    ),
    class: "bad_request",
    reason: "prefill_rejected",
  },
  {
    kind: "quota or credit used up",
    status: [...CALLER, 403, 429],
    message: opening(
      "You have reached your specified API usage limits",
      "Your credit balance is too low",
      "Your team (?:\\S+ )?has (?:either used all available credits|reached its monthly spending limit)",
      "Your prepayment credits are depleted",
      "Your project has exceeded its (?:monthly )?spending cap",
      "Insufficient balance",
    ),
    class: "quota_exhausted",
  },
  {
    // xAI answers a wrong key with 400 and the code "invalid-argument".
    kind: "key refused",
    status: [200, 400],
    message: opening(
      "Incorrect API key provided",
      "Invalid API key",
      "API key not valid",
      "API key expired",
      "invalid x-api-key",
    ),
    class: "auth",
  },
  {
    kind: "content refused",
    status: [...CALLER, 403],
    message: opening(
      "Content violates usage guidelines",
      "Output blocked by content filtering policy",
      "Content Exists Risk",
    ),
    class: "content_filter",
  },
  {
    kind: "prompt too long",
    status: CALLER,
    message: opening(
      "This (?:model|endpoint)'s maximum (?:context|prompt) length is",
      "(?:Your )?input exceeds the context window",
      "(?:The )?prompt (?:is )?too long",
      "input length and `max_tokens` exceed context limit",
      "The input token count",
      "The input \\([\\d,]+ tokens\\) is longer than the model's context length",
      "Input length \\([\\d,]+\\) exceeds",
      "Input is too long for requested model",
      "Input validation error: `inputs` tokens",
      "Prompt contains [\\d,]+ tokens",
      "Prompt exceeds max length",
      "prompt token count of",
      "too many tokens:",
      "The total length of all messages is too long",
      "(?:the )?request (?:\\([\\d,]+ tokens\\) )?exceeds the available context size",
      "Requested token count exceeds the model's maximum context length",
      "(?:Invalid request: )?Your request exceeded model token limit",
      "Range of input length should be",
      "'max_tokens' or 'max_completion_tokens' is too large",
      "Please reduce the length of the messages",
    ),
    class: "bad_request",
    reason: "context_length",
  },
  {
    kind: "schema refused",
    status: CALLER,
    message: opening(
      "The compiled grammar is too large",
      "Schemas? (?:is too complex|contains too many)",
      "output_config\\.format",
      "tools\\.\\d+\\.custom: (?:The compiled grammar|Schema)",
      "The specified schema produces a constraint that has too many states",
      '(?:Invalid JSON payload received\\. )?Unknown name "[^"]*" at \'generation_config\\.response_(?:json_)?schema',
      "\\* GenerateContentRequest\\.generation_config\\.response_(?:json_)?schema",
      "Invalid JSON schema",
      "Invalid schema for response_format",
      "The provided JSON schema contains features not supported",
      "This response_format type is unavailable",
    ),
    class: "bad_request",
    reason: "schema_too_complex",
  },
  {
    kind: "model unknown",
    status: CALLER,
    message: opening(
      "(?:The )?(?:requested )?model [`'\"][^`'\"]*[`'\"] (?:does not exist|not found|was not found|has been decommissioned)",
      "Model Not Exist",
      "Model not found",
      "No endpoints found",
      "\\S+ is not a valid model ID",
      "Unable to access (?:non-serverless )?model",
    ),
    class: "bad_request",
    reason: "model_not_found",
  },
  {
    kind: "parameter refused",
    status: CALLER,
    message: opening(
      "Unsupported parameter",
      "Unknown parameter",
      "Argument not supported on this model",
      "This model does not support ",
      "[\\w.[\\]]+: Extra inputs are not permitted",
      "`[\\w.]+` is (?:deprecated|not supported) for this model",
      "(?:\\w+ ){1,4}(?:is |are )?not supported (?:with|by|for|on) this model",
      '(?:Invalid JSON payload received\\. )?Unknown name "[^"]*"',
    ),
    class: "bad_request",
    reason: "unsupported_parameter",
  },
];

/** What is left is decided by the status alone. */
const BY_STATUS: readonly ClassificationRow[] = [
  { kind: "key refused", status: [401, 403], class: "auth" },
  { kind: "the upstream gave up waiting", status: [408], class: "network", reason: "timeout" },
  { kind: "too many requests, or overloaded", status: [429, 498, 503, 529], class: "capacity_shed" },
  { kind: "Gemini: the upstream canceled", status: [499], class: "server_error" },
  // A fault of the request that comes inside a 200 is no reason to ask another model.
  {
    kind: "request refused inside a 200",
    status: [200],
    word: words("invalid_request_error", "invalid_argument", "invalid_\\w+", "bad_request", "\\w+_not_supported"),
    class: "bad_request",
  },
];

export const CLASSIFICATION: readonly ClassificationRow[] = [...STRUCTURED, ...WORDED, ...BY_STATUS];
