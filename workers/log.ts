import { redact } from "../src/failure/redact.ts";

/**
 * One JSON line per event on the Worker's log. Only names and messages that we or the platform made: never headers,
 * bodies, keys or model text, so that logs may be shipped anywhere.
 */
export function logError(event: string, error: unknown, facts: Readonly<Record<string, string | number>> = {}): void {
  const named = error instanceof Error ? { error: error.name, message: redact(error.message) } : {};
  // biome-ignore lint/suspicious/noConsole: console is the Worker's log.
  console.error(JSON.stringify({ event, ...named, ...facts }));
}
