/**
 * The one door to the database. Everything an org owns is reached through `forOrg`, whose repositories carry the org
 * themselves: there is no method that could forget it. What stands outside is listed in `Store`, and is short.
 */
import type { KeyLookup } from "../identity/ports.ts";
import type { TelemetrySink } from "../telemetry/ports.ts";
import { KeyDirectory, OrgKeys } from "./api-keys.ts";
import { OrgArtifacts } from "./artifacts.ts";
import { OrgAuditLog } from "./audit-log.ts";
import { OrgBakeoffSamples } from "./bakeoff-samples.ts";
import { OrgBakeoffs } from "./bakeoffs.ts";
import { OrgCapabilities } from "./capabilities.ts";
import { type Connection, connect } from "./database.ts";
import { OrgEvalCases } from "./eval-cases.ts";
import { OrgEvidence } from "./evidence-processes.ts";
import { OrgGrades } from "./grades.ts";
import { OrgHostedBakeoffs } from "./hosted-bakeoffs.ts";
import { OrgInferences } from "./inferences.ts";
import { type SchemaState, schemaState } from "./migrate.ts";
import { OrgData } from "./org-data.ts";
import { OwnSettings } from "./org-settings.ts";
import { OrgDirectory } from "./orgs.ts";
import { OrgProposals } from "./proposals.ts";
import { OrgQueries } from "./queries.ts";
import { LibsqlQueryRunner } from "./query-runner.ts";
import { OrgRetention } from "./retention.ts";
import { OrgRollups } from "./rollups.ts";
import { OrgRoutePins } from "./route-pins.ts";
import { OrgRuns } from "./runs.ts";
import { OrgSwaps } from "./swaps.ts";
import { TelemetryWriter } from "./telemetry-writer.ts";

/** Repositories that see and write the rows of one org only. */
export interface OrgStore {
  readonly org: string;
  readonly keys: OrgKeys;
  readonly inferences: OrgInferences;
  readonly routePins: OrgRoutePins;
  readonly bakeoffs: OrgBakeoffs;
  readonly bakeoffSamples: OrgBakeoffSamples;
  readonly hostedBakeoffs: OrgHostedBakeoffs;
  readonly evidence: OrgEvidence;
  readonly proposals: OrgProposals;
  readonly swaps: OrgSwaps;
  readonly runs: OrgRuns;
  readonly artifacts: OrgArtifacts;
  readonly grades: OrgGrades;
  readonly evalCases: OrgEvalCases;
  readonly settings: OwnSettings;
  readonly capabilities: OrgCapabilities;
  readonly rollups: OrgRollups;
  readonly retention: OrgRetention;
  readonly audit: OrgAuditLog;
  /** All of it, to be taken out or deleted. */
  readonly data: OrgData;
  readonly queries: OrgQueries;
}

export interface Store {
  forOrg(org: string): OrgStore;
  /** Whose key a hash is: the org is the answer, so it cannot be the question. */
  readonly keys: KeyLookup;
  /** Orgs themselves: creation and lookup by those who hold the database token. */
  readonly orgs: OrgDirectory;
  /** Batches of records of many orgs, each of which names its own. */
  readonly telemetry: TelemetrySink;
  /** Whether the database fits this code. */
  schema(): Promise<SchemaState>;
  close(): void;
}

export function openStore(connection: Connection): Store {
  const db = connect(connection);
  const runner = new LibsqlQueryRunner(connection);
  return {
    forOrg: (org) => ({
      org,
      keys: new OrgKeys(db, org),
      inferences: new OrgInferences(db, org),
      routePins: new OrgRoutePins(db, org),
      bakeoffs: new OrgBakeoffs(db, org),
      bakeoffSamples: new OrgBakeoffSamples(db, org),
      hostedBakeoffs: new OrgHostedBakeoffs(db, org),
      evidence: new OrgEvidence(db, org),
      proposals: new OrgProposals(db, org),
      swaps: new OrgSwaps(db, org),
      runs: new OrgRuns(db, org),
      artifacts: new OrgArtifacts(db, org),
      grades: new OrgGrades(db, org),
      evalCases: new OrgEvalCases(db, org),
      settings: new OwnSettings(db, org),
      capabilities: new OrgCapabilities(db, org),
      rollups: new OrgRollups(db, org),
      retention: new OrgRetention(db, org),
      audit: new OrgAuditLog(db, org),
      data: new OrgData(db, org),
      queries: new OrgQueries(runner, org),
    }),
    keys: new KeyDirectory(db),
    orgs: new OrgDirectory(db),
    telemetry: new TelemetryWriter(db),
    schema: () => schemaState(db.$client),
    close: () => db.$client.close(),
  };
}
