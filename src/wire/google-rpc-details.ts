import { arrayAt, isRecord, type JsonRecord, stringAt } from "../json/record.ts";
import { bounded, durationMs } from "./retry-after.ts";

/** Returns the structured words of Google's `error.details[]` (google.rpc error model) as `key:value`. */
export function rpcDetails(error: JsonRecord): string[] {
  return entries(error).flatMap((entry) => [
    ...named("reason", [entry]),
    ...named("quotaId", arrayAt(entry, "violations") ?? []),
    ...named("field", arrayAt(entry, "fieldViolations") ?? []),
  ]);
}

/** `RetryInfo.retryDelay` (`"34.4s"`), in milliseconds, capped. */
export function rpcRetryMs(error: JsonRecord): number | undefined {
  for (const entry of entries(error)) {
    const delay = durationMs(stringAt(entry, "retryDelay") ?? "");
    if (delay !== undefined) return bounded(delay);
  }
  return undefined;
}

function entries(error: JsonRecord): readonly JsonRecord[] {
  return (arrayAt(error, "details") ?? []).filter(isRecord);
}

function named(key: string, records: readonly unknown[]): string[] {
  return records
    .map((record) => stringAt(record, key))
    .filter((value) => value !== undefined)
    .map((value) => `${key}:${value}`);
}
