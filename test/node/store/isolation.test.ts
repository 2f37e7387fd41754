import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type OrgStore, openStore } from "../../../src/store/store.ts";
import { localStore } from "../../support/hosts/local-database.ts";
import { COVERAGE, type RepositoryName, WORDS, type Word } from "../../support/store/org-coverage.ts";

let local: Awaited<ReturnType<typeof localStore>>;
let serial = 0;
beforeAll(async () => {
  local = await localStore();
});
afterAll(async () => {
  local.store.close();
  await local.remove();
});

interface Act {
  readonly name: RepositoryName;
  readonly word: Word;
}

const covered = Object.keys(COVERAGE) as RepositoryName[];
const act: fc.Arbitrary<Act> = fc.record({ name: fc.constantFrom(...covered), word: fc.constantFrom(...WORDS) });

/** `repository.method` of every call so far. */
const called = new Set<string>();

async function perform(org: string, orgs: readonly string[], { name, word }: Act): Promise<void> {
  serial += 1;
  const own = watched(local.store.forOrg(org));
  await COVERAGE[name]?.act({ store: local.store, own, orgs, word, at: serial });
}

/** All that an org's repositories can be made to say. */
async function view(org: string): Promise<Readonly<Record<string, unknown>>> {
  const own = watched(local.store.forOrg(org));
  const seen = await Promise.all(covered.map(async (name) => [name, await COVERAGE[name]?.see(own)] as const));
  return Object.fromEntries(seen);
}

/** The same repositories; what is called of them is noted. */
function watched(store: OrgStore): OrgStore {
  const repositories = repositoriesOf(store).map(([name, repository]) => [name, watchedRepository(name, repository)]);
  return { ...store, ...(Object.fromEntries(repositories) as Partial<OrgStore>) };
}

function watchedRepository(name: string, repository: object): object {
  return new Proxy(repository, {
    get(target, property) {
      const value = Reflect.get(target, property) as unknown;
      if (typeof value !== "function") return value;
      called.add(`${name}.${String(property)}`);
      return value.bind(target) as unknown;
    },
  });
}

function repositoriesOf(store: OrgStore): [string, object][] {
  return Object.entries(store).filter(([name]) => name !== "org");
}

function methodsOf(store: OrgStore): string[] {
  return repositoriesOf(store).flatMap(([name, repository]) =>
    Object.getOwnPropertyNames(Object.getPrototypeOf(repository))
      .filter((method) => method !== "constructor")
      .map((method) => `${name}.${method}`),
  );
}

/** What was seen, as one text; sums of costs are too long for a JSON number. */
const textOf = (seen: unknown): string =>
  JSON.stringify(seen, (_key, value: unknown) => (typeof value === "bigint" ? String(value) : value));

describe("an org", () => {
  it("has no repository that is not put to the test here, and none a method that is not", async () => {
    const store = local.store.forOrg("org_all");
    expect(
      repositoriesOf(store)
        .map(([name]) => name)
        .sort(),
    ).toEqual([...covered].sort());
    for (const name of covered) for (const word of WORDS) await perform("org_all", ["org_all"], { name, word });
    await view("org_all");
    expect(methodsOf(store).filter((method) => !called.has(method))).toEqual([]);
  });

  it("sees its own rows: what every repository was given comes back from it", async () => {
    const silent: RepositoryName[] = [];
    for (const name of covered) {
      const org = `org_own_${name}`;
      const say = async () => textOf(await COVERAGE[name]?.see(local.store.forOrg(org)));
      const before = await say();
      await perform(org, [org], { name, word: "y" });
      if ((await say()) === before) silent.push(name);
    }
    expect(silent).toEqual([]);
  });

  it("is not changed by anything at all that another can do", async () => {
    const orgs = ["org_left", "org_right"] as const;
    const everything = covered.flatMap((name) => WORDS.map((word) => ({ name, word })));
    for (const done of everything) await perform("org_left", orgs, done);
    const before = await view("org_left");
    for (const done of everything) {
      await perform("org_right", orgs, done);
      const see = COVERAGE[done.name]?.see;
      expect(await see?.(local.store.forOrg("org_left")), done.name).toEqual(before[done.name]);
    }
    expect(await view("org_left")).toEqual(before);
    expect(textOf(await view("org_right"))).not.toContain("org_left");
  });

  it("is not changed by what another does with the same names, and hears nothing of it", {
    timeout: 240_000,
  }, async () => {
    let round = 0;
    await fc.assert(
      fc.asyncProperty(
        fc.array(act, { maxLength: 10 }),
        fc.array(act, { minLength: 1, maxLength: 10 }),
        async (mine, theirs) => {
          round += 1;
          const orgs = [`org_a${round}`, `org_b${round}`] as const;
          const [a, b] = orgs;
          for (const done of mine) await perform(a, orgs, done);
          const before = await view(a);
          for (const done of theirs) await perform(b, orgs, done);
          expect(await view(a)).toEqual(before);
          expect(textOf(await view(b))).not.toContain(a);
        },
      ),
      { numRuns: 5 },
    );
  });

  it("that is unknown sees nothing", async () => {
    for (const name of covered) await perform("org_known", ["org_known"], { name, word: "y" });
    const seen = textOf(await view(""));
    expect(seen).toBe(textOf(await view("org_unknown")));
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
