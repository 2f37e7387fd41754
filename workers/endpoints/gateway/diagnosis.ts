import type { Hono } from "hono";
import type { AnswerOf } from "../../../src/api/endpoint.ts";
import { getDiagnosis } from "../../../src/api/gateway.ts";
import { readKeyring } from "../../../src/custody/keyring.ts";
import { isExpired } from "../../../src/identity/authorize.ts";
import { unfixedRows } from "../../../src/identity/unfixed-rows.ts";
import { missingKeys } from "../../../src/provider/missing-keys.ts";
import { StoreError } from "../../../src/store/database/store-error.ts";
import type { AppEnv } from "../../context.ts";
import type { Runtime } from "../../runtime.ts";
import { mount } from "../mount.ts";

type Diagnosis = AnswerOf<typeof getDiagnosis>;

/** `GET /v1/diagnosis`, scope `read`: what only the gateway can tell of itself. `modelrig doctor` asks it. */
export function mountDiagnosis(app: Hono<AppEnv>): void {
  mount(app, getDiagnosis).with(async ({ runtime, principal, background }) => {
    const ports = runtime.callPorts(principal.org, background);
    const { variables, unservable } = missingKeys(
      [...runtime.routes.values()],
      runtime.providers,
      (name) => ports.secret(name) !== undefined,
    );
    const { plaintext, faults, tags } = await runtime.queryTokens(principal.org, principal.orgSlug);
    const body = {
      time: new Date(runtime.now()).toISOString(),
      routes: runtime.routes.size,
      simulation: runtime.sim,
      local: runtime.devToken !== undefined,
      missing_provider_keys: variables.map(({ name, routes }) => ({ variable: name, routes: [...routes] })),
      unservable_routes: [...unservable],
      query_tokens: { plaintext, faults: [...faults] },
      responses_store: await responsesStore(runtime, principal.org),
      ...(await databaseFacts(runtime, principal.org, tags)),
    };
    return { status: 200, body };
  });
}

async function responsesStore(
  { config, storeKey, store }: Runtime,
  org: string,
): Promise<Diagnosis["responses_store"]> {
  if (!config.responsesStore) return { state: "off" };
  const keyring = await readKeyring(storeKey);
  if (!keyring.ok) return { state: "unusable", fault: keyring.error.message };
  try {
    const { custody } = await store().forOrg(org).settings.get();
    return { state: "on", custody };
  } catch (error) {
    if (error instanceof StoreError) return { state: "on" };
    throw error;
  }
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
