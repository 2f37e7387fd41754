/**
 * The only entry to the database. Everything an org owns is reached through `forOrg`, whose repositories add the org
 * themselves, so no method can omit it. The few others are listed in `Store`.
 */
import type { KeyLookup } from "../identity/ports.ts";
import type { TelemetryStore } from "../telemetry/ports.ts";
import { type Connection, connect } from "./database/database.ts";
import { type SchemaState, schemaState } from "./database/migrate.ts";
import { OrgBakeoffSamples } from "./evidence/bakeoff-samples.ts";
import { OrgBakeoffs } from "./evidence/bakeoffs.ts";
import { OrgCapabilities } from "./evidence/capabilities.ts";
import { OrgEvidence } from "./evidence/evidence-looks.ts";
import { OrgHostedBakeoffs } from "./evidence/hosted-bakeoffs.ts";
import { OrgProposals } from "./evidence/proposals.ts";
import { OrgSwaps } from "./evidence/swaps.ts";
import { KeyDirectory, OrgKeys } from "./orgs/api-keys.ts";
import { OrgAuditLog } from "./orgs/audit-log.ts";
import { OrgData } from "./orgs/org-data.ts";
import { OwnSettings } from "./orgs/org-settings.ts";
import { OrgDirectory } from "./orgs/orgs.ts";
import { OrgRoutePins } from "./orgs/route-pins.ts";
import { OrgQueries } from "./query/queries.ts";
import { LibsqlQueryRunner } from "./query/query-runner.ts";
import { OrgResponses } from "./responses/kept-responses.ts";
import { OrgArtifacts } from "./runs/artifacts.ts";
import { OrgEvalCases } from "./runs/eval-cases.ts";
import { OrgGrades } from "./runs/grades.ts";
import { OrgRuns } from "./runs/runs.ts";
import { OrgInferences } from "./telemetry/inferences.ts";
import { OrgRetention } from "./telemetry/retention.ts";
import { OrgRollups } from "./telemetry/rollups.ts";
import { TelemetryWriter } from "./telemetry/telemetry-writer.ts";

/** Repositories that read and write the rows of one org only. */
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
  readonly responses: OrgResponses;
  readonly audit: OrgAuditLog;
  /** All data of the org, for export and deletion. */
  readonly data: OrgData;
  readonly queries: OrgQueries;
}

export interface Store {
  forOrg(org: string): OrgStore;
  /** Finds the org of a key's hash, so it cannot be bound to an org. */
  readonly keys: KeyLookup;
  /** Creation and lookup of orgs by holders of the database token. */
  readonly orgs: OrgDirectory;
  /** Writes batches of records of many orgs, each of which names its own. */
  readonly telemetry: TelemetryStore;
  /** Compares the database with the version that this code needs. */
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
      responses: new OrgResponses(db, org),
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
