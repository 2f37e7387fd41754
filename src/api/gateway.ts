/** The gateway itself: whose key this is, how it is, what it measures. */
import { z } from "zod";
import { CUSTODIES } from "../runs/custody.ts";
import { endpoint } from "./endpoint.ts";

const text = { description: "OK", text: "text/plain" } as const;

const healthAnswer = z
  .object({ status: z.enum(["ok", "draining"]), routes: z.int().describe("Routes this build declares.") })
  .meta({ id: "Health" });

export const getHealth = endpoint({
  operation: "getHealth",
  ...{ method: "get", path: "/health", access: "open", ignoresQuery: true },
  summary: "The Worker runs and its bundle loads",
  answers: {
    200: { description: "OK", json: healthAnswer },
    503: { description: "Shutting down", json: healthAnswer },
  },
});

export const getOpenapi = endpoint({
  operation: "getOpenapi",
  ...{ method: "get", path: "/openapi.json", access: "open", ignoresQuery: true },
  summary: "This document; with an ETag",
  headers: z.object({ "if-none-match": z.string().optional() }),
  answers: {
    200: { description: "OK", json: z.record(z.string(), z.unknown()), headers: z.object({ etag: z.string() }) },
    304: { description: "Not changed since the ETag sent" },
  },
});

export const getLlmsTxt = endpoint({
  operation: "getLlmsTxt",
  ...{ method: "get", path: "/llms.txt", access: "open", ignoresQuery: true },
  summary: "What a language model should know of this gateway",
  answers: { 200: text },
});

export const whoamiAnswer = z
  .object({
    org: z.object({
      id: z.string(),
      slug: z.string(),
      name: z.string().optional().describe("As people say it; absent where none is set."),
    }),
    key: z.object({
      id: z.string(),
      scopes: z.array(z.string()),
      routes: z.array(z.string()).optional().describe("Routes and lanes the key may call; absent = all."),
      expires_at: z.string().optional(),
    }),
    time: z.iso.datetime().describe("The gateway's clock."),
  })
  .meta({ id: "Whoami" });

export const whoami = endpoint({
  operation: "whoami",
  ...{ method: "get", path: "/v1/whoami", access: "any-key" },
  summary: "Whose key this is",
  answers: { 200: { description: "OK", json: whoamiAnswer } },
});

export const getMetrics = endpoint({
  operation: "getMetrics",
  ...{ method: "get", path: "/metrics", access: "read", ignoresQuery: true, everyRow: "sums of the whole org" },
  summary: "Prometheus text of the org's last hour",
  answers: { 200: text },
});

export const diagnosisAnswer = z
  .object({
    time: z.iso.datetime().describe("The gateway's clock."),
    database: z.object({
      state: z.enum(["current", "behind", "ahead", "unreachable", "unauthorized"]),
      version: z.string().optional().describe("Newest migration applied; absent = none, or not known."),
      expected: z.string().optional().describe("Newest migration of this build, where it is not the one applied."),
    }),
    routes: z.int().describe("Routes this build declares."),
    simulation: z.boolean().describe("The simulated provider may serve."),
    local: z.boolean().describe("This is `modelrig dev`."),
    missing_provider_keys: z.array(z.object({ variable: z.string(), routes: z.array(z.string()) })),
    unservable_routes: z.array(z.string()).describe("No live candidate of these has its provider key."),
    query_tokens: z.object({
      plaintext: z.int().describe("Entries of MODELRIG_QUERY_TOKENS that hold a token rather than its hash."),
      faults: z.array(z.string()),
    }),
    unfixed_row_scopes: z
      .array(z.object({ tag: z.string(), keys: z.array(z.string()) }))
      .describe("Tags that scope readers' rows, and the keys that may write any value of them."),
    responses_store: z
      .object({
        state: z.enum(["off", "on", "unusable"]).describe("`unusable`: its secret is missing or cannot be read."),
        fault: z.string().optional(),
        custody: z.enum(CUSTODIES).optional().describe("`hash`: the org keeps no response. Absent = not known."),
      })
      .optional()
      .describe("Absent from gateways before it existed."),
    hours_without_rollup: z.int().optional().describe("Hours of telemetry that wait for upkeep."),
  })
  .meta({ id: "Diagnosis" });

export const getDiagnosis = endpoint({
  operation: "getDiagnosis",
  everyRow: "the state of the whole org",
  ...{ method: "get", path: "/v1/diagnosis", access: "read" },
  summary: "What is wrong with the gateway, as `modelrig doctor` asks",
  answers: { 200: { description: "OK", json: diagnosisAnswer } },
});
