import { afterEach, expect, test } from "vitest";
import { recordOf } from "../../../src/telemetry/record.ts";
import { anInference } from "../../support/store/inferences.ts";
import { type Gateway, openGateway } from "../gateway.ts";
import { edgeStore, newKey, newOrg } from "../keys.ts";

const opened: Gateway[] = [];
const open = (key: string): Gateway => {
  const gateway = openGateway({ key });
  opened.push(gateway);
  return gateway;
};
afterEach(async () => {
  for (const gateway of opened.splice(0)) await gateway.settled();
});

interface Line {
  readonly type: string;
  readonly table?: string;
  readonly row?: Readonly<Record<string, unknown>>;
  readonly after?: string;
}

async function orgWith(calls: number) {
  const own = await newOrg();
  const records = Array.from({ length: calls }, (_, index) =>
    recordOf(anInference({ org: own.org, id: `i${index}`, startedAt: 1_750_000_000_000 + index })),
  );
  await edgeStore().telemetry.insertInferences(records);
  return own;
}

async function lines(key: string, query = ""): Promise<readonly Line[]> {
  const response = await open(key).fetch(`/v1/export${query}`);
  expect(response.status).toBe(200);
  const text = await response.text();
  return text
    .trimEnd()
    .split("\n")
    .map((line) => JSON.parse(line) as Line);
}
const rowIds = (all: readonly Line[], table: string) =>
  all.filter((line) => line.table === table).map(({ row }) => row?.["id"]);

test("an export holds everything of the org, says when it is whole, and goes on from any page", async () => {
  const { org, slug, key } = await orgWith(700);
  const all = await lines(key);
  expect(all[0]).toMatchObject({ type: "export", schema: "modelrig.export/1", org: { id: org, slug } });
  expect(all.at(-1)).toEqual({ type: "end" });
  expect(new Set(rowIds(all, "inferences")).size).toBe(700);
  expect(new Set(all.flatMap(({ row }) => row?.["org"] ?? []))).toEqual(new Set([org]));

  const cut = all.findIndex(({ type, after }) => type === "page" && after?.includes("i"));
  const rest = await lines(key, `?after=${encodeURIComponent(all[cut]?.after ?? "")}`);
  expect(rest.slice(1)).toEqual(all.slice(cut + 1));
});

test("a deletion by its slug leaves nothing but keys, settings and the log", async () => {
  const { org, slug, key } = await orgWith(30);
  const remove = async (query: string) => await open(key).fetch(`/v1/data${query}`, { method: "DELETE" });
  for (const query of ["", "?confirm=", "?confirm=another", `?confirm=${org}`]) {
    expect((await remove(query)).status).toBe(400);
  }
  const aged = await remove(`?confirm=${slug}&before=2001-01-01T00:00:00Z`);
  expect(await aged.json()).toEqual({ deleted: {}, done: true });
  expect(await (await remove(`?confirm=${slug}`)).json()).toMatchObject({ deleted: { inferences: 30 }, done: true });
  const left = new Set((await lines(key)).flatMap(({ table }) => table ?? []));
  expect(left).toEqual(new Set(["api_keys", "audit_log"]));
});

test("both need admin, and a cursor of another make is refused", async () => {
  const { org, slug, key } = await newOrg();
  const { key: reader } = await newKey({ scopes: ["read", "query", "ingest", "oracle-act"] }, org);
  expect((await open(reader).fetch("/v1/export")).status).toBe(403);
  expect((await open(reader).fetch(`/v1/data?confirm=${slug}`, { method: "DELETE" })).status).toBe(403);
  expect((await open(key).fetch("/v1/export?after=nonsense")).status).toBe(400);
  expect((await open(key).fetch("/v1/export?table=runs")).status).toBe(400);
});
