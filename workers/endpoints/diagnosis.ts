import { z } from "@hono/zod-openapi";
import type { Hono } from "hono";
import { isExpired } from "../../src/identity/authorize.ts";
import { unfixedRows } from "../../src/identity/unfixed-rows.ts";
import { missingKeys } from "../../src/provider/missing-keys.ts";
import { StoreError } from "../../src/store/database/store-error.ts";
import { callerOf } from "../caller.ts";
import type { AppEnv } from "../context.ts";
import type { Runtime } from "../runtime.ts";

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
    hours_without_rollup: z.int().optional().describe("Hours of telemetry that wait for upkeep."),
  })
  .openapi("Diagnosis");

type Diagnosis = z.output<typeof diagnosisAnswer>;

/** `GET /v1/diagnosis`, scope `read`: what only the gateway can tell of itself. `modelrig doctor` asks it. */
export function diagnosis(app: Hono<AppEnv>): void {
  app.get("/v1/diagnosis", async (c) => {
    const { runtime, principal } = callerOf(c, "read");
    const ports = runtime.callPorts(principal.org, (work) => c.executionCtx.waitUntil(work));
    const { variables, unservable } = missingKeys(
      [...runtime.routes.values()],
      runtime.providers,
      (name) => ports.secret(name) !== undefined,
    );
    const { plaintext, faults, tags } = await runtime.queryTokens(principal.org, principal.orgSlug);
    return c.json({
      time: new Date(runtime.now()).toISOString(),
      routes: runtime.routes.size,
      simulation: runtime.sim,
      local: runtime.devToken !== undefined,
      missing_provider_keys: variables.map(({ name, routes }) => ({ variable: name, routes: [...routes] })),
      unservable_routes: [...unservable],
      query_tokens: { plaintext, faults: [...faults] },
      ...(await databaseFacts(runtime, principal.org, tags)),
    } satisfies Diagnosis);
  });
}

async function databaseFacts(
  runtime: Runtime,
  org: string,
  scopedTags: readonly string[],
): Promise<Pick<Diagnosis, "database" | "unfixed_row_scopes" | "hours_without_rollup">> {
  try {
    const store = runtime.store();
    const schema = await store.schema();
    const database = { ...schema, version: schema.version };
    if (schema.state !== "current") return { database, unfixed_row_scopes: [] };
    const { keys, rollups } = store.forOrg(org);
    const live = (await keys.list()).filter((key) => !key.revoked && !isExpired(key, runtime.now()));
    const unfixed = unfixedRows(live, scopedTags);
    return {
      database,
      unfixed_row_scopes: unfixed.map((rows) => ({ tag: rows.tag, keys: [...rows.keys] })),
      hours_without_rollup: (await rollups.lag()).hours,
    };
  } catch (error) {
    if (!(error instanceof StoreError)) throw error;
    const state =
      error.fault === "unauthorized" ? "unauthorized" : error.fault === "not_migrated" ? "behind" : "unreachable";
    return { database: { state }, unfixed_row_scopes: [] };
  }
}
