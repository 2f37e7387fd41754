/** Queries of telemetry, sent by every command that reads it. */
import { z } from "zod";
import type { AnswerOf } from "../api/endpoint.ts";
import { queryTelemetry } from "../api/query.ts";
import type { QueryAnswer } from "../query/answer.ts";
import { CliError, EXIT } from "./command.ts";
import type { Gateway } from "./gateway-client.ts";
import { codeFrame } from "./output/faults.ts";

/** Sends a query to the gateway. One that was refused is a `CliError` that shows the place in its text. */
export async function askTelemetry(gateway: Gateway, query: string): Promise<AnswerOf<typeof queryTelemetry>> {
  try {
    return await gateway.call(queryTelemetry, { body: { query } });
  } catch (cause) {
    throw located(cause, query) ?? cause;
  }
}

const fault = z.object({
  code: z.string().startsWith("query_"),
  message: z.string(),
  position: z.int().nonnegative(),
  length: z.int().nonnegative(),
  expected: z.array(z.string()),
  hint: z.string().optional(),
});

const MOST_EXPECTED = 12;

/** The error of a query that was refused, with the place in it. */
function located(cause: unknown, query: string): CliError | undefined {
  if (!(cause instanceof CliError)) return undefined;
  const found = fault.safeParse(cause.details);
  if (!found.success) return undefined;
  const { code, message, position, length, expected, hint } = found.data;
  const before = query.slice(0, position).split("\n");
  const place = { line: before.length, column: (before.at(-1) ?? "").length + 1, length: Math.max(1, length) };
  const frame = position + length === 0 ? [] : codeFrame(query, place);
  const allowed = expected.length > 1 ? `allowed: ${expected.slice(0, MOST_EXPECTED).join(", ")}` : undefined;
  const more = expected.length > MOST_EXPECTED ? `, and ${expected.length - MOST_EXPECTED} more` : "";
  return new CliError(code, [message, ...frame].join("\n"), {
    exitCode: code === "query_timeout" ? EXIT.unexpected : EXIT.usage,
    fix: hint ?? (allowed && allowed + more),
    details: found.data,
    cause,
  });
}

/** Sends a query that does not begin with EXPLAIN. */
export async function readTelemetry(gateway: Gateway, query: string): Promise<QueryAnswer> {
  const answered = await askTelemetry(gateway, query);
  if (!("explain" in answered)) return answered;
  throw new CliError("gateway.unexpected_answer", "the gateway explained a query that it was asked to answer");
}

/** Rows that a command reads. Times are ISO 8601. */
export interface TelemetryRange {
  readonly since: string | undefined;
  readonly until?: string | undefined;
  /** Conditions as the user wrote them. */
  readonly filter: string | undefined;
}

/** Returns the `WHERE` of a query, empty for all rows. */
export function whereOf({ since, until, filter }: TelemetryRange): string {
  const conditions = [since && `ts >= '${since}'`, until && `ts < '${until}'`, filter?.trim()].filter(Boolean);
  return conditions.length === 0 ? "" : `WHERE ${conditions.join(" AND ")}`;
}
