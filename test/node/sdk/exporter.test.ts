import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { createRig, type Rig, type RigConfig } from "../../../src/sdk/index.ts";
import { bufferedItems } from "../../support/hosts/rig.ts";

interface Seen {
  readonly path: string;
  readonly items: readonly { readonly type: string }[];
}

let cwd: string;
let warnings: string[];
let seen: Seen[];
const rigs: Rig[] = [];
beforeEach(() => {
  cwd = mkdtempSync(join(tmpdir(), "modelrig-exporter-"));
  warnings = [];
  seen = [];
});
afterEach(async () => {
  await Promise.all(rigs.splice(0).map((rig) => rig.close()));
  rmSync(cwd, { recursive: true, force: true });
});

type Reply = (items: Seen["items"], path: string) => Response | Promise<Response>;

const json = (body: unknown, status = 200, headers: Record<string, string> = {}): Response =>
  Response.json(body, { status, headers });
const stored: Reply = (items) => json({ accepted: items.length, items: [] });

/** A rig whose gateway answers ingest as told, and whoami as org `acme`. */
function rig(reply: Reply, config: RigConfig = {}): Rig {
  const made = createRig({
    ...{ cwd, routesDir: null, url: "http://gateway.test", key: "rig_sk_test", closeTimeoutMs: 3_000 },
    flushIntervalMs: 1_000_000,
    onWarning: (line) => void warnings.push(line),
    async fetch(request) {
      const { pathname } = new URL(request.url);
      if (pathname === "/v1/whoami") return json({ org: { id: "org_1", slug: "acme" }, key: {} });
      const text = await request.text();
      const items = text === "" ? [] : ((JSON.parse(text) as { items?: Seen["items"] }).items ?? []);
      seen.push({ path: pathname, items });
      return await reply(items, pathname);
    },
    ...config,
  });
  rigs.push(made);
  return made;
}

const record = (made: Rig, count = 1): void => {
  for (let index = 0; index < count; index += 1) made.recordCall({ provider: "openai", model: "gpt-5.4-mini" });
};
const error = (code: string, message: string) => ({ error: { code, message } });

describe("the exporter", () => {
  it("sends what is recorded in batches, and forgets it once it is stored", async () => {
    const made = rig(stored);
    record(made, 501);
    await made.close();
    expect(seen.map(({ items }) => items.length)).toEqual([500, 1]);
    expect(bufferedItems(cwd)).toEqual([]);
    expect(warnings).toEqual([]);
  });

  it("keeps what cannot be sent for the next process, and says so", async () => {
    const made = rig(() => {
      throw new TypeError("fetch failed");
    });
    record(made, 3);
    await made.close();
    expect(bufferedItems(cwd)).toHaveLength(3);
    expect(warnings.at(-1)).toMatch(/stay buffered here.*: 3$/);
    // Nothing new is recorded: what is left is sent all the same.
    await rig(stored).close();
    expect(bufferedItems(cwd)).toEqual([]);
  });

  it("sends again later what names a subject that is on its way", async () => {
    let answers = 0;
    const made = rig((items) => {
      answers += 1;
      if (answers > 1) return stored(items, "");
      const later = items.flatMap(({ type }, index) =>
        type === "grade" ? [{ index, status: "later", message: "no" }] : [],
      );
      return json({ accepted: items.length - later.length, items: later });
    });
    record(made);
    made.grade({ kind: "run", id: "somewhere" }, { score: 1, kind: "human" });
    await made.flush();
    expect(bufferedItems(cwd).map(({ type }) => type)).toEqual(["grade"]);
    // It waits a moment before it goes again.
    await made.flush();
    expect(seen).toHaveLength(1);
    await new Promise((resolve) => setTimeout(resolve, 1_050));
    await made.flush();
    expect(seen.at(-1)?.items.map(({ type }) => type)).toEqual(["grade"]);
    expect(bufferedItems(cwd)).toEqual([]);
  });

  it("puts aside what is refused for good, and names why once", async () => {
    const made = rig((items) =>
      json({
        accepted: 0,
        items: items.map((_, index) => ({ index, status: "refused", code: "invalid_item", message: "too odd" })),
      }),
    );
    record(made, 3);
    await made.close();
    expect(bufferedItems(cwd)).toEqual([]);
    expect(warnings).toEqual([expect.stringContaining("(invalid_item): too odd")]);
  });

  it("halves a batch that is refused whole, until what is at fault stands alone", async () => {
    let bad: string | undefined;
    const made = rig((items) => {
      bad ??= JSON.stringify(items[5]);
      const holds = items.some((item) => JSON.stringify(item) === bad);
      return holds ? json(error("request_too_large", "too large"), 413) : stored(items, "");
    });
    record(made, 8);
    await made.close();
    expect(bufferedItems(cwd)).toEqual([]);
    expect(seen.flatMap(({ items }) => items).length).toBeGreaterThan(8);
    expect(warnings).toEqual([expect.stringContaining("request_too_large")]);
  });

  it("keeps everything while the key is refused, and says what to do", async () => {
    const made = rig(() => json(error("missing_scope", "this key lacks the scope ingest"), 403));
    record(made, 2);
    await made.close();
    expect(bufferedItems(cwd)).toHaveLength(2);
    expect(warnings[0]).toMatch(/AUTH FAILED \(403\).*scope ingest/);
  });

  it("holds back for as long as the gateway asks", async () => {
    const made = rig(() => json(error("rate_limit", "slow"), 429, { "retry-after": "120" }), { flushIntervalMs: 5 });
    record(made);
    await new Promise((resolve) => setTimeout(resolve, 400));
    expect(seen).toHaveLength(1);
  });

  it("promotes after the artifact, and again while it is on its way", async () => {
    let promotions = 0;
    const made = rig((items, path) => {
      if (path === "/v1/ingest") return stored(items, path);
      promotions += 1;
      return promotions === 1 ? json(error("not_found", "no such artifact"), 404) : json({}, 201);
    });
    const artifact = made.artifacts.artifact.save("text", { name: "n", type: "step_output", task: "a.task" });
    if (!artifact) throw new Error("not saved");
    made.artifacts.artifact.promoteToEval(artifact, { variables: { text: "asked" } });
    await made.flush();
    expect(seen.map(({ path }) => path)).toEqual(["/v1/ingest", `/v1/artifacts/${artifact.id}/promote`]);
    expect(bufferedItems(cwd).map(({ type }) => type)).toEqual(["promote"]);
    await new Promise((resolve) => setTimeout(resolve, 1_050));
    await made.close();
    expect(promotions).toBe(2);
    expect(bufferedItems(cwd)).toEqual([]);
  });

  it("asks once whose key it is, and sends nothing to another org than the one expected", async () => {
    const made = rig(stored, { expectOrg: "other" });
    record(made);
    await made.flush();
    await made.flush();
    expect(seen).toEqual([]);
    expect(warnings).toEqual([
      expect.stringMatching(/^ORG MISMATCH: the key belongs to org acme, expected other/),
      expect.stringMatching(/^ORG MISMATCH/),
    ]);
  });

  it("takes no longer to close than it may", async () => {
    const made = rig(() => new Promise<Response>(() => undefined), { closeTimeoutMs: 200 });
    record(made);
    await made.close();
    expect(warnings.at(-1)).toMatch(/stay buffered/);
  });

  it("keeps records in memory where no file can be kept, and goes on", async () => {
    const readOnly = join(cwd, "read-only");
    mkdirSync(readOnly);
    writeFileSync(join(readOnly, ".modelrig"), "a file in the way");
    chmodSync(readOnly, 0o555);
    const made = rig(stored, { cwd: readOnly });
    record(made, 2);
    await made.close();
    expect(seen.flatMap(({ items }) => items)).toHaveLength(2);
    expect(warnings).toEqual([expect.stringContaining("in memory only")]);
  });
});

describe("a rig without a key", () => {
  it("sends nothing anywhere, and keeps its records on this machine", async () => {
    const made = rig(stored, { key: undefined });
    record(made, 2);
    made.grade({ kind: "run", id: "r" }, { score: 1, kind: "human" });
    await made.flush();
    await made.close();
    expect(seen).toEqual([]);
    expect(bufferedItems(cwd)).toHaveLength(3);
    expect(warnings).toEqual([expect.stringContaining("no key, so records stay on this machine")]);
    // A key that is set later is another destination: what was local stays local.
    await rig(stored).close();
    expect(seen).toEqual([]);
  });
});
