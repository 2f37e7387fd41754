import { type SQL, sql } from "drizzle-orm";
import { insertRows } from "../database/insert-rows.ts";
import { runs } from "../tables/runs.ts";

/** What names a run without starting it, and when it happened, epoch milliseconds. */
interface RunMention {
  readonly org: string;
  readonly run: string;
  readonly at: number;
}

/** Makes a row of every run that is named and not there; one that nobody started begins with the earliest mention. */
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
