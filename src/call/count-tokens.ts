/** Counts the tokens of a prompt before it is sent. */
import { err, type Failure, failure, ok, type Result } from "../failure/failure.ts";
import { numberAt } from "../json/record.ts";
import { wellFormedJson } from "../json/well-formed-json.ts";
import { estimateTokens } from "../money/estimate.ts";
import type { ChatRequest } from "../wire/chat.ts";
import { upstreamDialect } from "../wire/dialects.ts";
import type { CallPolicy } from "./call.ts";
import { type Contender, contenderOf } from "./eligibility.ts";
import type { CallPorts } from "./ports.ts";
import { needsOf, withCandidateParams } from "./request-shape.ts";
import { Watchdog } from "./time/watchdog.ts";
import { readJson, send, upstreamRequest } from "./upstream.ts";

interface TokenCount {
  readonly inputTokens: number;
  /** True when the count is our own: the provider has no such endpoint, or did not answer. */
  readonly estimated: boolean;
  /** `provider/model` of the first candidate that could serve the call. */
  readonly served: string;
}

/** Fields of a call's body that the provider's counting endpoint refuses. */
const NOT_COUNTED = [
  ...["max_tokens", "stream", "temperature", "top_p", "top_k", "stop_sequences", "metadata", "service_tier"],
];

/** Approximate tokens that providers bill for an image, and for an attached document or recording. */
const IMAGE_TOKENS = 1_600;
const FILE_TOKENS = 3_000;

/**
 * Counts for the first candidate that could serve. Anthropic's endpoint counts for its own models. Elsewhere, and while
 * it is unreachable, the figure is an estimate: one token per three bytes of text, tools and schema, plus a flat figure
 * per image and file.
 */
export async function countTokens(
  request: ChatRequest,
  policy: CallPolicy,
  ports: CallPorts,
  signal: AbortSignal,
): Promise<Result<TokenCount>> {
  const contender = policy.candidates
    .map((candidate) => contenderOf(candidate, policy, ports))
    .find((one): one is Contender => !("why" in one));
  if (!contender) return err(failure("no_candidate", "no candidate can serve this call"));
  const served = contender.candidate.key;
  const shaped = withCandidateParams(request, contender.candidate, policy.serviceTier);
  const counted =
    contender.provider.dialect === "anthropic-messages"
      ? await askProvider(shaped, contender, policy, ports, signal)
      : undefined;
  if (counted?.ok) return ok({ inputTokens: counted.value, estimated: false, served });
  if (counted && !isAway(counted.error)) return counted;
  return ok({ inputTokens: estimate(shaped), estimated: true, served });
}

async function askProvider(
  request: ChatRequest,
  { provider, candidate, model, apiKey }: Contender,
  { timeouts }: CallPolicy,
  ports: CallPorts,
  signal: AbortSignal,
): Promise<Result<number>> {
  const dialect = upstreamDialect(provider.dialect);
  const quirks = { ...provider.quirks, path: undefined };
  const exchange = {
    provider,
    dialect,
    target: {
      provider: provider.name,
      model: candidate.model,
      quirks,
      maxOutput: model?.maxOutput,
      facts: model?.facts,
    },
    apiKey,
  };
  const encoded = dialect.encodeRequest(request, exchange.target);
  if (!encoded.ok) return encoded;
  const body = Object.fromEntries(Object.entries(encoded.value.body).filter(([key]) => !NOT_COUNTED.includes(key)));
  const watchdog = new Watchdog(ports.clock, signal);
  watchdog.limit("attempt", ports.clock.now() + timeouts.attemptMs);
  try {
    const path = `${encoded.value.path}/count_tokens`;
    const sent = await send(
      upstreamRequest(exchange, { ...encoded.value, path }, wellFormedJson(body), watchdog.signal),
      exchange,
      watchdog,
      ports,
    );
    if (!sent.ok) return err(sent.error.failure);
    const answer = await readJson(sent.value, watchdog);
    if (!answer.ok) return answer;
    const tokens = numberAt(answer.value, "input_tokens");
    return tokens === undefined
      ? err(failure("network", "the provider's count holds no figure", { reason: "malformed_response", status: 200 }))
      : ok(tokens);
  } finally {
    watchdog.stop();
  }
}

function isAway({ class: failureClass }: Failure): boolean {
  return failureClass === "network" || failureClass === "capacity_shed" || failureClass === "server_error";
}

function estimate({ messages, tools, instructions, responseFormat, ...rest }: ChatRequest): number {
  const needs = needsOf({ messages, ...rest });
  // The bytes of media are no measure of their tokens.
  const text = JSON.stringify({ messages, tools, instructions, responseFormat }, (key, value: unknown) =>
    key === "data" && typeof value === "string" ? undefined : value,
  );
  return (
    estimateTokens(new TextEncoder().encode(text).byteLength) +
    needs.imageCount * IMAGE_TOKENS +
    (needs.fileCount + needs.audioCount) * FILE_TOKENS
  );
}
