import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type OrgStore, openStore } from "../../../src/store/store.ts";
import { recordOf } from "../../../src/telemetry/record.ts";
import { anAttempt, anInference } from "../../support/inferences.ts";
import { localStore } from "../../support/local-database.ts";

let local: Awaited<ReturnType<typeof localStore>>;
let serial = 0;
beforeAll(async () => {
  local = await localStore();
});
afterAll(async () => {
  local.store.close();
  await local.remove();
});

/** Ids and names on purpose the same in both orgs: what one may not see is told by the org alone. */
type Action =
  | { readonly type: "inference"; readonly id: string }
  | { readonly type: "key" | "revoke"; readonly id: string }
  | { readonly type: "pin"; readonly route: string; readonly variant: string }
  | { readonly type: "audit"; readonly subject: string };

const word = fc.constantFrom("x", "y", "z");
const action: fc.Arbitrary<Action> = fc.oneof(
  fc.record({ type: fc.constant("inference" as const), id: word }),
  fc.record({ type: fc.constantFrom("key" as const, "revoke" as const), id: word }),
  fc.record({ type: fc.constant("pin" as const), route: word, variant: word }),
  fc.record({ type: fc.constant("audit" as const), subject: word }),
);

async function perform(org: string, done: Action): Promise<void> {
  serial += 1;
  const store = local.store.forOrg(org);
  const deed = { by: org, at: serial };
  switch (done.type) {
    case "inference": {
      const attempts = [anAttempt({ id: `att_${done.id}` })];
      return await local.store.telemetry.insertInferences([
        recordOf(anInference({ org, id: done.id, route: "same", run: "same", startedAt: serial, attempts })),
      ]);
    }
    case "key": {
      const scopes = ["call"] as const;
      const key = {
        keyId: `${org}_${done.id}_${serial}`,
        hash: `hash_${serial}`,
        display: "rig_sk_…abc",
        scopes,
        fixedTags: {},
      };
      return await store.keys.create(key, deed);
    }
    case "revoke": {
      // Tries every key there is, the other org's too.
      for (const other of orgsSeen) {
        for (const key of await local.store.forOrg(other).keys.list()) {
          if (key.keyId.includes(`_${done.id}_`)) await store.keys.revoke(key.keyId, deed);
        }
      }
      return;
    }
    case "pin":
      await store.routePins.pin(done.route, done.variant, deed);
      return;
    case "audit":
      return await store.audit.add({ ...deed, action: "test.done", subject: done.subject });
  }
}

let orgsSeen: readonly string[] = [];

/** All that an org's repositories can be made to say. */
async function view(store: OrgStore): Promise<unknown> {
  const pins = await Promise.all(["x", "y", "z"].map((route) => store.routePins.history(route)));
  const one = await Promise.all(["x", "y", "z"].map((id) => store.inferences.get(id, undefined)));
  return {
    inferences: await store.inferences.list({ limit: 1_000 }, undefined),
    ofRoute: await store.inferences.list({ route: "same", run: "same", limit: 1_000 }, undefined),
    one,
    usage: await store.inferences.usage(0, 1e15),
    costs: [...(await store.inferences.attemptCosts(["att_x", "att_y", "att_z"]))],
    keys: await store.keys.list(),
    pins,
    current: await store.routePins.current(),
    audit: await store.audit.list(1_000),
  };
}

describe("an org", () => {
  it("sees its own rows, and nothing of what another does with the same names changes them", async () => {
    let round = 0;
    await fc.assert(
      fc.asyncProperty(
        fc.array(action, { maxLength: 8 }),
        fc.array(action, { minLength: 1, maxLength: 8 }),
        async (mine, theirs) => {
          round += 1;
          const [a, b] = [`org_a${round}`, `org_b${round}`];
          orgsSeen = [a, b];
          for (const done of mine) await perform(a, done);
          const before = await view(local.store.forOrg(a));
          for (const done of theirs) await perform(b, done);
          expect(await view(local.store.forOrg(a))).toEqual(before);
          expect(JSON.stringify(await view(local.store.forOrg(b)))).not.toContain(a);
        },
      ),
      { numRuns: 25 },
    );
  });

  it("that is unknown sees nothing", async () => {
    await perform("org_known", { type: "inference", id: "x" });
    const seen = JSON.stringify(await view(local.store.forOrg("")));
    expect(seen).toBe(JSON.stringify(await view(local.store.forOrg("org_unknown"))));
    expect(seen).not.toContain("same");
  });
});

describe("orgs", () => {
  it("are made once, whoever comes first", async () => {
    const made = await Promise.all(
      Array.from({ length: 5 }, (_, index) =>
        local.store.orgs.ensure({ id: `org_race_${index}`, slug: "race" }, { by: "t", at: 1 }),
      ),
    );
    expect(new Set(made.map(({ id }) => id)).size).toBe(1);
    const [org] = made;
    expect(await local.store.forOrg(org!.id).audit.list(10)).toMatchObject([
      { action: "org.created", subject: "race" },
    ]);
    expect(await local.store.orgs.find("race")).toEqual(org);
    expect(await local.store.orgs.find(org!.id)).toEqual(org);
  });
});

describe("route pins", () => {
  it("count up, keep their history, and the last one holds, also with two writers at once", async () => {
    const { routePins, audit } = local.store.forOrg("org_pins");
    await Promise.all(
      Array.from({ length: 10 }, (_, index) => routePins.pin("r", `v${index}`, { by: "k", at: index })),
    );
    const history = await routePins.history("r");
    expect(history.map(({ version }) => version)).toEqual([10, 9, 8, 7, 6, 5, 4, 3, 2, 1]);
    expect(await routePins.current()).toEqual([history[0]]);
    expect((await audit.list(100)).map(({ action: done }) => done)).toEqual(
      Array.from({ length: 10 }, () => "route.pinned"),
    );
  });
});

describe("a database that cannot be used", () => {
  it("is a typed error that says why and what to do, and quotes no statement and no value", async () => {
    const { url } = local.connection;
    const cases = [
      [{ url: "http://127.0.0.1:9", authToken: "t" }, "unreachable"],
      [{ url, authToken: "wrong" }, "unauthorized"],
    ] as const;
    for (const [connection, fault] of cases) {
      const store = openStore(connection);
      const error = await store.keys.findByHash("SECRET-HASH").catch((cause: unknown) => cause);
      expect(error).toMatchObject({ name: "StoreError", fault });
      for (let link: unknown = error; link instanceof Error; link = link.cause)
        expect(link.message).not.toContain("SECRET-HASH");
      store.close();
    }
    const duplicate = { keyId: "key_dup", hash: "SECRET-HASH", display: "d", scopes: ["call"], fixedTags: {} } as const;
    const { keys } = local.store.forOrg("org_dup");
    await keys.create(duplicate, { by: "t", at: 1 });
    const error = await keys.create(duplicate, { by: "t", at: 1 }).catch((cause: unknown) => cause);
    expect(error).toMatchObject({ fault: "constraint" });
    expect(String(error)).not.toContain("SECRET-HASH");
  });
});
