import { mkdirSync, mkdtempSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { beforeEach, describe, expect, it } from "vitest";
import { capturePermission } from "../../../src/cli/capture-permission.ts";
import { main } from "../../../src/cli/main.ts";
import { compileFolder } from "../../../src/workspace/compile-folder.ts";
import { fakeIo } from "../../support/hosts/fake-io.ts";

let cwd: string;
const routeFile = (name: string, capture: boolean): string => {
  const file = join(cwd, "routes", `${name}.yaml`);
  writeFileSync(file, `route: ${name}\ncandidates: [{ provider: sim, model: atlas-small }]\ncapture: ${capture}\n`);
  return file;
};

beforeEach(() => {
  cwd = mkdtempSync(join(tmpdir(), "modelrig-captures-cli-"));
  mkdirSync(join(cwd, "routes"));
  routeFile("open.a", true);
  routeFile("closed.b", false);
  writeFileSync(
    join(cwd, "modelrig.yaml"),
    'capture: { redact: [{ path: /email }, { regex: "\\\\d{3}-\\\\d{4}", replace: "[phone]" }] }\n',
  );
});

async function captures(...args: string[]) {
  const io = fakeIo({ cwd });
  const exitCode = await main(["captures", ...args], io);
  return { exitCode, out: io.out(), err: io.err() };
}

function importLines(lines: readonly object[]) {
  writeFileSync(join(cwd, "in.jsonl"), `${lines.map((line) => JSON.stringify(line)).join("\n")}\n\n`);
  return captures("import", "in.jsonl");
}

const line = (more: object = {}) => ({ route: "open.a", variables: { text: "hello" }, ...more });
const listed = async () =>
  (JSON.parse((await captures("list", "--json")).out) as { captures: Record<string, unknown>[] }).captures;

describe("captures import", () => {
  it("adds each line once, however often it is imported", async () => {
    expect((await importLines([line(), line({ messages: [], variables: undefined })])).err).toContain("added 2");
    expect((await importLines([line(), line({ variables: { text: "new" } })])).err).toContain(
      "added 1, known already 1",
    );
    expect(await listed()).toHaveLength(3);
  });

  it("redacts before it writes", async () => {
    await importLines([
      line({ variables: { email: "a@b.c", text: "call 555-1234" }, output: "key sk-abcdefghijklmnopqrst" }),
    ]);
    expect(await listed()).toMatchObject([
      { variables: { email: "[redacted]", text: "call [phone]" }, output: "key [redacted]" },
    ]);
    const file = readFileSync(join(cwd, ".modelrig/captures.db"), "latin1");
    for (const secret of ["a@b.c", "555-1234", "sk-abcdef"]) expect(file).not.toContain(secret);
  });

  it("takes nothing for a route that does not say capture: true, and then nothing at all", async () => {
    const { exitCode, err } = await importLines([line(), line({ route: "closed.b" })]);
    expect(exitCode).toBe(3);
    expect(err).toContain("in.jsonl:2: route closed.b does not say capture: true");
    expect(await listed()).toEqual([]);
  });

  for (const [kind, bad, says] of [
    ["a key it does not know", { ...line(), extra: 1 }, "extra"],
    ["neither variables nor messages", { route: "open.a" }, "exactly one of"],
    ["both of them", { ...line(), messages: [] }, "exactly one of"],
    ["no route", { variables: {} }, "route"],
  ] as const) {
    it(`names the line and what is wrong with it: ${kind}`, async () => {
      const { exitCode, err } = await importLines([bad]);
      expect(exitCode).toBe(2);
      expect(err).toContain("in.jsonl:1");
      expect(err).toContain(says);
    });
  }

  it("reads back what list prints", async () => {
    await importLines([line({ tags: { client: "acme" }, output: "o", ts: "2026-01-02T03:04:05.000Z" })]);
    const before = await listed();
    await captures("delete", "--all", "--yes");
    await importLines(before);
    expect(await listed()).toEqual(before);
  });
});

describe("captures", () => {
  it("live in a folder only their owner can enter, which git ignores", async () => {
    await importLines([line()]);
    expect(statSync(join(cwd, ".modelrig")).mode & 0o777).toBe(0o700);
    expect(readFileSync(join(cwd, ".modelrig/.gitignore"), "utf8")).toBe("*\n");
  });

  it("are shown by id, and a wrong id is the answer no", async () => {
    await importLines([line({ id: "cap_x" })]);
    expect(JSON.parse((await captures("show", "cap_x")).out)).toMatchObject({ variables: { text: "hello" } });
    expect((await captures("show", "cap_y")).exitCode).toBe(3);
  });

  it("are not deleted without a yes, nor without saying which", async () => {
    await importLines([line()]);
    expect((await captures("delete", "--all")).exitCode).toBe(2);
    expect((await captures("delete", "--yes")).exitCode).toBe(2);
    expect((await captures("delete", "some_id", "--all", "--yes")).exitCode).toBe(2);
    expect(await listed()).toHaveLength(1);
  });

  it("are counted and deleted by route and age", async () => {
    await importLines([line({ ts: "2020-01-01T00:00:00.000Z" }), line({ variables: { text: "young" } })]);
    expect((await captures("stats")).out).toMatch(/open\.a\t2\t2/);
    await captures("delete", "--route", "open.a", "--older-than", "30", "--yes");
    expect(await listed()).toMatchObject([{ variables: { text: "young" } }]);
  });
});

describe("permission to capture", () => {
  it("comes from the route's own file as it is now, and from nothing while the files cannot be read", async () => {
    let now = 0;
    const warnings: string[] = [];
    const compile = async () => (await compileFolder({ cwd })).result;
    const may = capturePermission(
      compile,
      () => now,
      (message) => warnings.push(message),
    );
    expect([await may("open.a"), await may("closed.b"), await may("unknown.c")]).toEqual([true, false, false]);
    routeFile("open.a", false);
    now += 2_000;
    expect(await may("open.a")).toBe(false);
    writeFileSync(routeFile("open.a", true), "route: [broken");
    for (let call = 0; call < 3; call += 1) {
      now += 2_000;
      expect(await may("open.a")).toBe(false);
    }
    expect(warnings).toHaveLength(1);
    routeFile("open.a", true);
    now += 2_000;
    expect(await may("open.a")).toBe(true);
  });
});
