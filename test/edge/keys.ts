/** Keys and orgs of a test's own, made in the database the gateways of the edge tests use. */
import { inject } from "vitest";
import { displayKey, hashKey, keyFrom } from "../../src/identity/key.ts";
import type { NewKey } from "../../src/store/orgs/api-keys.ts";
import { openStore, type Store } from "../../src/store/store.ts";

export function edgeStore(): Store {
  return openStore({ url: inject("databaseUrl"), authToken: inject("databaseToken") });
}

/** A new key of `org` (default: the org of every edge test), with every scope unless told otherwise. */
export async function newKey(
  permissions: Partial<NewKey> = {},
  org = inject("org"),
): Promise<{ readonly key: string; readonly keyId: string }> {
  const key = keyFrom(crypto.getRandomValues(new Uint8Array(32)));
  const keyId = permissions.keyId ?? `key_${crypto.randomUUID()}`;
  const all: Pick<NewKey, "scopes" | "fixedTags"> = { scopes: ["admin"], fixedTags: {} };
  await edgeStore()
    .forOrg(org)
    .keys.create(
      { ...all, ...permissions, keyId, hash: await hashKey(key), display: displayKey(key) },
      { by: "test", at: Date.now() },
    );
  return { key, keyId };
}

/** An org of a test's own, with a key that may do everything. */
export async function newOrg(): Promise<{ readonly org: string; readonly slug: string; readonly key: string }> {
  const name = crypto.randomUUID().slice(0, 8);
  const org = await edgeStore().orgs.ensure({ id: `org_${name}`, slug: `t-${name}` }, { by: "test", at: Date.now() });
  const { key } = await newKey({}, org.id);
  return { org: org.id, slug: org.slug, key };
}
