/** What belongs to an org as a whole: its settings, its data, its measurements, its audit log. */
import { z } from "zod";
import { time } from "../intake/fields.ts";
import { registryDocument } from "../registry/record.ts";
import { LARGEST_ARTIFACT } from "../runs/artifact.ts";
import { CUSTODIES } from "../runs/custody.ts";
import { endpoint } from "./endpoint.ts";
import { MOST_LISTED, next, pageQuery } from "./listing.ts";

const LONGEST_RETENTION_DAYS = 36_500;

/** All of it in a body too: a setting left out would otherwise fall back to its default without a word. */
const settings = z
  .strictObject({
    custody: z
      .enum(CUSTODIES)
      .describe("`hash`: no content of an artifact and no response is kept. `content`: they are."),
    artifact_max_bytes: z.int().min(1).max(LARGEST_ARTIFACT).describe("Larger content is not kept, only its hash."),
    retention_days: z
      .int()
      .min(1)
      .max(LONGEST_RETENTION_DAYS)
      .nullable()
      .describe("Days raw telemetry is kept; null = for ever. Hourly sums stay."),
  })
  .meta({ id: "Settings" });

export type SettingsJson = z.output<typeof settings>;

export const getSettings = endpoint({
  operation: "getSettings",
  method: "get",
  path: "/v1/settings",
  access: "read",
  summary: "What the org decided about its data",
  answers: { 200: { description: "OK", json: settings } },
});

export const putSettings = endpoint({
  operation: "putSettings",
  everyRow: "settings of the whole org",
  method: "put",
  path: "/v1/settings",
  access: "admin",
  summary: "Decide it anew; every setting is to be said",
  body: settings,
  answers: { 200: { description: "OK", json: settings } },
});

export const exportData = endpoint({
  operation: "exportData",
  everyRow: "everything the org has",
  method: "get",
  path: "/v1/export",
  access: "admin",
  summary: "Everything the org has, as JSON Lines; resumable",
  query: z.strictObject({
    after: z.string().min(1).max(4_000).optional().describe("`after` of the last `page` line that arrived whole."),
  }),
  answers: { 200: { description: "OK", text: "application/jsonl" } },
});

export const eraseData = endpoint({
  operation: "eraseData",
  everyRow: "everything the org has",
  method: "delete",
  path: "/v1/data",
  access: "admin",
  summary: "Delete the org's data, all of it or by age; keys, settings and the audit log stay",
  query: z.strictObject({
    confirm: z.string().describe("The org's slug."),
    before: time
      .optional()
      .describe("Only what is older, by the full hour: history, not settings, pins or measured capabilities."),
  }),
  answers: {
    200: {
      description: "OK",
      json: z
        .object({
          deleted: z.record(z.string(), z.int()).describe("Rows per table that lost any."),
          done: z.boolean().describe("False = there is more; ask again."),
        })
        .meta({ id: "EraseAnswer" }),
    },
  },
});

export const getRegistry = endpoint({
  operation: "getRegistry",
  method: "get",
  path: "/v1/registry",
  access: "read",
  summary: "Measured capabilities, newest of each",
  answers: { 200: { description: "OK", json: registryDocument } },
});

// What is recorded here decides how calls are asked and which references are chosen.
export const recordCapabilities = endpoint({
  operation: "recordCapabilities",
  everyRow: "measurements for the whole org",
  method: "post",
  path: "/v1/registry",
  access: "admin",
  summary: "Record measured capabilities",
  body: registryDocument,
  answers: {
    201: { description: "Recorded", json: z.object({ recorded: z.int() }).meta({ id: "RegistryRecorded" }) },
  },
});

const auditEntry = z
  .object({
    id: z.string(),
    at: z.iso.datetime(),
    by: z.string().describe("Id of a key, or `cli:<user>` for a change made with the database token."),
    action: z.string().describe("Dotted, noun first: `key.created`."),
    subject: z.string(),
    detail: z.record(z.string(), z.unknown()).nullable(),
  })
  .meta({ id: "AuditEntry" });

export type AuditEntryJson = z.output<typeof auditEntry>;

export const listAudit = endpoint({
  operation: "listAudit",
  method: "get",
  path: "/v1/audit",
  access: "read",
  everyRow: "entries of the audit log",
  summary: "Changes of state, newest first: who, when, what",
  query: z.strictObject(pageQuery(MOST_LISTED)),
  answers: {
    200: { description: "OK", json: z.object({ entries: z.array(auditEntry), next }).meta({ id: "AuditList" }) },
  },
});
