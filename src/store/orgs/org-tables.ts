/** Every table whose rows belong to an org, with what an export and a deletion need. A test finds missing tables. */
import type { SQLiteColumn, SQLiteTable } from "drizzle-orm/sqlite-core";
import { apiKeys } from "../tables/api-keys.ts";
import { artifactLinks, artifacts } from "../tables/artifacts.ts";
import { attempts } from "../tables/attempts.ts";
import { auditLog } from "../tables/audit-log.ts";
import { bakeoffs } from "../tables/bakeoffs.ts";
import { capabilities } from "../tables/capabilities.ts";
import { evalCases } from "../tables/eval-cases.ts";
import { evidenceLooks, evidenceSalts } from "../tables/evidence.ts";
import { grades } from "../tables/grades.ts";
import { bakeoffSamples, hostedBakeoffs, hostedSamples } from "../tables/hosted-bakeoffs.ts";
import { inferences } from "../tables/inferences.ts";
import { keptResponseItems, keptResponses } from "../tables/kept-responses.ts";
import { orgSettings } from "../tables/org-settings.ts";
import { proposals } from "../tables/proposals.ts";
import {
  inferenceRollups,
  movedInferences,
  retentionMarks,
  staleHours,
  tagRollups,
  wideTags,
} from "../tables/rollups.ts";
import { routePins } from "../tables/route-pins.ts";
import { runs } from "../tables/runs.ts";
import { swaps } from "../tables/swaps.ts";

export interface OrgTable {
  readonly table: SQLiteTable;
  /** True when a deletion of the org's data keeps it. */
  readonly kept?: true;
  /**
   * Column that contains the row's age. Absent = the table holds the present state, not history, and is not deleted by
   * age.
   */
  readonly at?: SQLiteColumn;
  /** The rows belong to rows of another table, have their age, and are deleted with them. */
  readonly of?: { readonly id: SQLiteColumn; readonly owner: SQLiteTable; readonly ownerId: SQLiteColumn };
  /** True when a row may hold a megabyte. */
  readonly heavy?: true;
  /** Columns that are not exported. */
  readonly secret?: readonly SQLiteColumn[];
}

/** In the order of an export. Dependent tables come before the table they belong to. */
export const ORG_TABLES: readonly OrgTable[] = [
  { table: orgSettings, kept: true },
  { table: apiKeys, kept: true, secret: [apiKeys.hash] },
  { table: auditLog, kept: true },
  {
    table: attempts,
    at: inferences.ts,
    of: { id: attempts.inference, owner: inferences, ownerId: inferences.id },
  },
  { table: inferences, at: inferences.ts },
  { table: runs, at: runs.startedAt },
  { table: artifactLinks, at: artifactLinks.createdAt },
  { table: artifacts, at: artifacts.createdAt, heavy: true },
  { table: grades, at: grades.createdAt },
  { table: evalCases, at: evalCases.createdAt, heavy: true },
  {
    table: keptResponseItems,
    at: keptResponses.createdAt,
    of: { id: keptResponseItems.response, owner: keptResponses, ownerId: keptResponses.id },
  },
  { table: keptResponses, at: keptResponses.createdAt, heavy: true, secret: [keptResponses.sealed] },
  { table: inferenceRollups, at: inferenceRollups.hour },
  { table: tagRollups, at: tagRollups.hour },
  { table: wideTags, at: wideTags.hour },
  { table: staleHours, at: staleHours.hour },
  { table: movedInferences, at: movedInferences.movedAt },
  { table: retentionMarks },
  { table: bakeoffs, at: bakeoffs.finishedAt, heavy: true },
  {
    table: hostedSamples,
    at: hostedBakeoffs.createdAt,
    of: { id: hostedSamples.bakeoff, owner: hostedBakeoffs, ownerId: hostedBakeoffs.id },
  },
  { table: hostedBakeoffs, at: hostedBakeoffs.createdAt, heavy: true },
  { table: bakeoffSamples, at: bakeoffSamples.createdAt, heavy: true },
  { table: evidenceLooks, at: evidenceLooks.at, heavy: true },
  { table: evidenceSalts, secret: [evidenceSalts.salt] },
  { table: proposals, at: proposals.createdAt, heavy: true },
  { table: swaps, at: swaps.approvedAt, heavy: true },
  { table: routePins },
  { table: capabilities },
];
