import { classify } from "../failure/classify.ts";
import { redact } from "../failure/redact.ts";
import { providerHeaders } from "../provider/headers.ts";
import type { ProviderSpec } from "../provider/provider.ts";
import { upstreamDialect } from "../wire/dialects.ts";

interface ProviderProbe {
  readonly name: string;
  /** `ok`, a failure class, or `missing key`. */
  readonly answer: string;
  readonly ms: number;
  readonly detail: string;
}

const PATIENCE_MS = 15_000;
/** The Messages API refuses any request without it. */
const ANTHROPIC_VERSION = "2023-06-01";

/** Asks a provider for its model list: every API here has one, it needs the key, and it costs nothing. */
export async function probeProvider(provider: ProviderSpec, apiKey: string | undefined): Promise<ProviderProbe> {
  const { name, dialect } = provider;
  if (provider.apiKeyEnv !== undefined && !apiKey) {
    return { name, answer: "missing key", ms: 0, detail: `set ${provider.apiKeyEnv}` };
  }
  const headers = providerHeaders(provider, apiKey);
  if (dialect === "anthropic-messages") headers["anthropic-version"] = ANTHROPIC_VERSION;
  const startedAt = performance.now();
  const elapsed = (): number => Math.round(performance.now() - startedAt);
  try {
    const response = await fetch(`${provider.baseUrl}/models`, {
      headers,
      redirect: "manual",
      signal: AbortSignal.timeout(PATIENCE_MS),
    });
    const text = await response.text();
    if (response.ok) return { name, answer: "ok", ms: elapsed(), detail: provider.baseUrl };
    const error = upstreamDialect(dialect).decodeError(
      response.status,
      response.headers,
      text,
      { provider: name },
      Date.now(),
    );
    const reason = classify(error);
    return { name, answer: reason.class, ms: elapsed(), detail: `${response.status}: ${reason.message}` };
  } catch (error) {
    return {
      name,
      answer: "unreachable",
      ms: elapsed(),
      detail: redact(error instanceof Error ? error.message : "no answer"),
    };
  }
}
