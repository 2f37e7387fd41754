/** Starts what the edge tests talk to from inside workerd: an upstream and the real database, both on loopback. */
import { randomBytes } from "node:crypto";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { TestProject } from "vitest/node";
import { readMigrations } from "../../../src/cli/migrations.ts";
import { displayKey, hashKey, keyFrom } from "../../../src/identity/key.ts";
import { EVERY_LANE } from "../../../src/identity/reach.ts";
import { SCOPES } from "../../../src/identity/scope.ts";
import { startHranaServer } from "../../../src/localdb/hrana-server.ts";
import { migrate } from "../../../src/store/database/migrate.ts";
import type { NewKey } from "../../../src/store/orgs/api-keys.ts";
import { openStore } from "../../../src/store/store.ts";
import { startBehavingUpstream } from "./behaving-upstream.ts";
import { startDialectUpstream } from "./dialect-upstream.ts";

export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  const folder = mkdtempSync(join(tmpdir(), "modelrig-edge-"));
  const token = randomBytes(16).toString("hex");
  const [upstream, dialects, database] = await Promise.all([
    startBehavingUpstream(),
    startDialectUpstream(),
    startHranaServer({ file: join(folder, "edge.db"), token, port: 0 }),
  ]);
  const connection = { url: database.url, authToken: token };
  await migrate(connection, readMigrations());
  const store = openStore(connection);
  const deed = { by: "test", at: Date.now() };
  const org = await store.orgs.ensure({ id: "org_edge", slug: "edge" }, deed);
  const create = async (permissions: Partial<NewKey>, of = org.id): Promise<{ key: string; keyId: string }> => {
    const key = keyFrom(randomBytes(32));
    const keyId = `key_${randomBytes(6).toString("hex")}`;
    const all = { scopes: SCOPES, routes: EVERY_LANE, fixedTags: {} };
    await store
      .forOrg(of)
      .keys.create({ ...all, ...permissions, keyId, hash: await hashKey(key), display: displayKey(key) }, deed);
    return { key, keyId };
  };
  const revoked = await create({});
  await store.forOrg(org.id).keys.revoke(revoked.keyId, deed);
  project.provide("upstreamUrl", upstream.baseUrl);
  project.provide("dialectsUrl", dialects.url);
  project.provide("databaseUrl", database.url);
  project.provide("databaseToken", token);
  project.provide("org", org.id);
  const keeper = await store.orgs.ensure({ id: "org_keeper", slug: "keeper" }, deed);
  const keeperKey = await create({}, keeper.id);
  project.provide("key", (await create({})).key);
  project.provide("keys", {
    callOnly: (await create({ scopes: ["call"] })).key,
    readOnly: (await create({ scopes: ["read"] })).key,
    keeper: keeperKey.key,
    acmeRows: (await create({ rowScope: { tags: { client: "acme" } } }, keeper.id)).key,
    oneRoute: (await create({ scopes: ["call"], routes: ["demo.a"] })).key,
    revoked: revoked.key,
    expired: (await create({ expiresAt: Date.now() - 1 })).key,
  });
  store.close();
  return async () => {
    await Promise.all([upstream.close(), dialects.close(), database.close()]);
    rmSync(folder, { recursive: true, force: true });
  };
}

declare module "vitest" {
  export interface ProvidedContext {
    /** OpenAI-compatible upstream; its behaviour is chosen by the model's name. */
    upstreamUrl: string;
    /** A provider of every dialect; its answer is chosen by the model's name. */
    dialectsUrl: string;
    databaseUrl: string;
    databaseToken: string;
    /** A key for everything. */
    key: string;
    /** Keys by what they may do; `keeper` and `acmeRows` (rows of client acme) are of the org `org_keeper`. */
    keys: Record<"callOnly" | "readOnly" | "oneRoute" | "revoked" | "expired" | "keeper" | "acmeRows", string>;
    org: string;
  }
}
