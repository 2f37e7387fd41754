import { type SQL, sql } from "drizzle-orm";
import { insertRows } from "../database/insert-rows.ts";
import { runs } from "../tables/runs.ts";

/** A mention of a run that does not start it, and its time in epoch milliseconds. */
interface RunMention {
  readonly org: string;
  readonly run: string;
  readonly at: number;
}

/**
 * Inserts a row for every mentioned run that does not exist; a run that was never started begins with its earliest
 * mention.
 */
export function insertImpliedRuns(mentions: readonly RunMention[]): SQL {
  const earliest = new Map<string, RunMention>();
  for (const mention of mentions) {
    const key = JSON.stringify([mention.org, mention.run]);
    const known = earliest.get(key);
    if (!known || mention.at < known.at) earliest.set(key, mention);
  }
  const rows = [...earliest.values()].map(({ org, run, at }) => ({
    org,
    id: run,
    declared: false,
    tags: {},
    status: "running" as const,
    startedAt: at,
  }));
  return insertRows(runs, rows, {
    onConflict: sql`(org, id) do update set started_at = excluded.started_at
        where runs.declared = 0 and excluded.started_at < runs.started_at`,
  });
}
