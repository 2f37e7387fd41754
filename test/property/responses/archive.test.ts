/** Kept responses of several orgs and keys, by any sequence of acts, held against a model. */
import { createClient } from "@libsql/client/web";
import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type Keyring, readKeyring } from "../../../src/custody/keyring.ts";
import { mayCall } from "../../../src/identity/reach.ts";
import { ResponseArchive } from "../../../src/responses/archive.ts";
import { localStore } from "../../support/hosts/local-database.ts";

const TTL = 100;
const ROUTES = ["a.one", "b.two"] as const;
/** Route patterns of keys; absent = all. */
const KEYS = [undefined, ["a.*"], ["b.two"], []] as const;
const ORGS = ["first", "second"] as const;

let local: Awaited<ReturnType<typeof localStore>>;
let keyring: Keyring;
let serial = 0;
beforeAll(async () => {
  local = await localStore();
  const read = await readKeyring(Buffer.alloc(32, 9).toString("base64"));
  if (!read.ok) throw new Error(read.error.message);
  keyring = read.value;
});
afterAll(async () => {
  local.store.close();
  await local.remove();
});

interface Kept {
  readonly id: string;
  readonly org: string;
  readonly route: string;
  readonly previous: Kept | undefined;
  readonly said: string;
  readonly answered: string;
  expires: number;
}

type Act =
  | { readonly type: "answer"; readonly route: number; readonly key: number; readonly previous: number | undefined }
  | { readonly type: "delete"; readonly key: number; readonly which: number }
  | { readonly type: "wait"; readonly ms: number }
  | { readonly type: "upkeep" }
  | { readonly type: "custody"; readonly content: boolean };

const index = fc.nat({ max: 30 });
const key = fc.nat({ max: KEYS.length - 1 });
const act: fc.Arbitrary<Act & { readonly org: number }> = fc
  .oneof(
    {
      weight: 6,
      arbitrary: fc.record({
        type: fc.constant("answer" as const),
        route: index,
        key,
        previous: fc.option(index, { nil: undefined }),
      }),
    },
    { weight: 1, arbitrary: fc.record({ type: fc.constant("delete" as const), key, which: index }) },
    { weight: 2, arbitrary: fc.record({ type: fc.constant("wait" as const), ms: fc.constantFrom(1, TTL / 2, TTL) }) },
    { weight: 1, arbitrary: fc.record({ type: fc.constant("upkeep" as const) }) },
    { weight: 1, arbitrary: fc.record({ type: fc.constant("custody" as const), content: fc.boolean() }) },
  )
  .chain((one) => fc.nat({ max: ORGS.length - 1 }).map((org) => ({ ...one, org })));

/** What is true of the archives, kept by the plainest means. */
class World {
  readonly orgs: readonly string[];
  now = 1_000;
  all: Kept[] = [];
  readonly content = new Set<string>();

  constructor(orgs: readonly string[]) {
    this.orgs = orgs;
  }

  archive(org: string, keyIndex: number): ResponseArchive {
    const store = local.store.forOrg(org).responses;
    const reaches = (reach: string) => mayCall({ routes: KEYS[keyIndex] }, reach);
    return new ResponseArchive({ store, keyring, org, reaches, ttlMs: TTL, mostContext: 1e6, now: () => this.now });
  }

  alive(kept: Kept, org: string): boolean {
    return this.all.includes(kept) && kept.org === org && kept.expires > this.now && this.content.has(org);
  }

  /** Oldest first; undefined where one of them is gone or not for the key. */
  chain(kept: Kept, org: string, keyIndex: number): readonly Kept[] | undefined {
    if (!this.alive(kept, org) || !mayCall({ routes: KEYS[keyIndex] }, kept.route)) return undefined;
    if (!kept.previous) return [kept];
    const before = this.chain(kept.previous, org, keyIndex);
    return before && [...before, kept];
  }
}

const itemId = (kept: Pick<Kept, "id">) => `msg_${kept.id}`;
const textsOf = (items: readonly unknown[]) => JSON.stringify(items).match(/(?:said|answered) \d+/g) ?? [];

async function setCustody(world: World, org: string, content: boolean): Promise<void> {
  if (content) world.content.add(org);
  else world.content.delete(org);
  const settings = { custody: content ? ("content" as const) : ("hash" as const), artifactMaxBytes: 1 };
  await local.store.forOrg(org).settings.put(settings, { by: "test", at: world.now });
}

async function perform(world: World, { org: orgIndex, ...one }: Act & { readonly org: number }): Promise<void> {
  const org = world.orgs[orgIndex] ?? "";
  const pick = (which: number) => world.all[which % Math.max(1, world.all.length)];
  switch (one.type) {
    case "wait":
      world.now += one.ms;
      return;
    case "custody":
      await setCustody(world, org, one.content);
      return;
    case "upkeep":
      for (const each of world.orgs) await local.store.forOrg(each).responses.expire(world.now, 100);
      world.all = world.all.filter((kept) => world.alive(kept, kept.org));
      return;
    case "delete": {
      const kept = pick(one.which);
      if (!kept) return;
      const may = world.alive(kept, org) && mayCall({ routes: KEYS[one.key] }, kept.route);
      expect(await world.archive(org, one.key).delete(kept.id, { by: "test", at: world.now })).toBe(may);
      if (may) world.all = world.all.filter((other) => other !== kept);
      return;
    }
    case "answer":
      await answer(world, org, one, one.previous === undefined ? undefined : pick(one.previous));
  }
}

async function answer(
  world: World,
  org: string,
  { key: keyIndex, route }: Extract<Act, { type: "answer" }>,
  previous: Kept | undefined,
): Promise<void> {
  serial += 1;
  const archive = world.archive(org, keyIndex);
  const said = `said ${serial}`;
  const before = previous && world.chain(previous, org, keyIndex);
  const continued = await archive.continuation(previous?.id, said);
  expect(continued.ok).toBe(previous === undefined || before !== undefined);
  if (!continued.ok) return;
  expect(textsOf(continued.value.input)).toEqual([...(before ?? []).flatMap((one) => [one.said, one.answered]), said]);
  const kept: Kept = {
    ...{ id: `inf_${serial}`, org, route: ROUTES[route % ROUTES.length] ?? "", previous, said },
    ...{ answered: `answered ${serial}`, expires: world.now + TTL },
  };
  const output = [{ type: "message", id: itemId(kept), role: "assistant", content: [{ text: kept.answered }] }];
  const request = { input: said, previous: previous?.id, used: continued.value.used, reach: kept.route, keyId: "k" };
  const stored = await archive.keep({ ...request, response: { id: kept.id, output } });
  expect(stored).toBe(world.content.has(org));
  if (!stored) return;
  world.all.push(kept);
  for (const used of before ?? []) used.expires = Math.max(used.expires, kept.expires);
}

/** Every response there was, asked for by every key of every org, by every way. */
async function expectOnlyOwn(world: World, everKept: readonly Kept[]): Promise<void> {
  for (const org of world.orgs) {
    for (const keyIndex of KEYS.keys()) {
      const archive = world.archive(org, keyIndex);
      for (const kept of everKept) {
        const seen = world.alive(kept, org) && mayCall({ routes: KEYS[keyIndex] }, kept.route);
        const found = await archive.find(kept.id);
        expect(found.ok && found.value !== undefined).toBe(seen);
        const referred = await archive.continuation(undefined, [{ type: "item_reference", id: itemId(kept) }]);
        expect(referred.ok).toBe(seen);
        if (referred.ok) expect(textsOf(referred.value.input)).toEqual([kept.answered]);
        const continued = await archive.continuation(kept.id, "more");
        expect(continued.ok).toBe(world.chain(kept, org, keyIndex) !== undefined);
      }
    }
  }
}

async function storedText(org: string): Promise<string> {
  const client = createClient({ url: local.connection.url, authToken: local.connection.authToken });
  const { rows } = await client.execute({ sql: "select * from kept_responses where org = ?", args: [org] });
  client.close();
  return JSON.stringify(rows);
}

describe("kept responses", () => {
  it("are seen by the keys of their org that reach all of them, until they end, and by nobody else", async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(act, { minLength: 4, maxLength: 14 }), async (acts) => {
        serial += 1;
        const world = new World(ORGS.map((name) => `${name}_${serial}`));
        for (const org of world.orgs) await setCustody(world, org, true);
        const ever = new Set<Kept>();
        for (const one of acts) {
          await perform(world, one);
          for (const kept of world.all) ever.add(kept);
        }
        await expectOnlyOwn(world, [...ever].slice(-4));
        for (const org of world.orgs) expect(await storedText(org)).not.toMatch(/said|answered/);
      }),
      { numRuns: 15 },
    );
  });
});
