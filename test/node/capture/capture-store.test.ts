import { mkdtempSync, readdirSync, readFileSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { Capture } from "../../../src/capture/capture.ts";
import { type CaptureStore, openCaptureStore } from "../../../src/capture/capture-store.ts";

let folder: string;
let store: CaptureStore;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "modelrig-captures-"));
  store = openCaptureStore(join(folder, "captures.db"));
});
afterEach(() => store.close());

const capture = (id: string, parts: Partial<Capture> = {}): Capture => ({
  id,
  at: 1_000,
  payload: { kind: "variables", variables: { text: `input of ${id}` } },
  inferenceId: `inf_${id}`,
  route: "a.route",
  variant: undefined,
  output: `output of ${id}`,
  outcome: "answered",
  capabilities: { native_strict: true },
  served: "sim/small",
  tags: { client: "acme" },
  ...parts,
});

describe("the capture store", () => {
  it("gives back what was added, whatever kind it is", () => {
    const kinds = [
      capture("variables"),
      capture("messages", {
        payload: { kind: "messages", request: { messages: [{ role: "user", content: "ü 🚀" }] } },
      }),
      capture("failed", { output: undefined, outcome: "content_invalid", served: undefined, capabilities: undefined }),
      capture("bare", { inferenceId: undefined, variant: "cheap", tags: {} }),
    ];
    for (const one of kinds) expect(store.add(one)).toBe(true);
    for (const one of kinds) expect(store.get(one.id)).toEqual(one);
  });

  it("ignores an id it has already", () => {
    store.add(capture("one"));
    expect(store.add(capture("one", { output: "other" }))).toBe(false);
    expect(store.get("one")?.output).toBe("output of one");
  });

  it("lists the newest first, by route, up to a limit", () => {
    for (const at of [1, 2, 3]) store.add(capture(`a${at}`, { at }));
    store.add(capture("b", { at: 9, route: "b.route" }));
    expect(store.list({ limit: 10 }).map(({ id }) => id)).toEqual(["b", "a3", "a2", "a1"]);
    expect(store.list({ route: "a.route", limit: 2 }).map(({ id }) => id)).toEqual(["a3", "a2"]);
  });

  it("counts by route", () => {
    store.add(capture("a", { at: 5 }));
    store.add(capture("b", { at: 7, outcome: "network", output: undefined }));
    expect(store.stats()).toEqual([
      { route: "a.route", captures: 2, answered: 1, bytes: expect.any(Number), oldest: 5, newest: 7 },
    ]);
  });

  it("deletes by id, by route and by age", () => {
    for (const at of [1, 2, 3]) store.add(capture(`a${at}`, { at }));
    store.add(capture("b", { route: "b.route" }));
    expect(store.delete(["a1", "nobody"])).toBe(1);
    expect(store.deleteWhere({ route: "a.route", before: 3 })).toBe(1);
    expect(store.list({ limit: 10 }).map(({ id }) => id)).toEqual(["b", "a3"]);
    expect(store.deleteWhere({})).toBe(2);
  });

  it("retains by age, then by size, the oldest going first", () => {
    const day = 86_400_000;
    for (const age of [40, 3, 2, 1]) {
      store.add(capture(`d${age}`, { at: 100 * day - age * day, output: "x".repeat(1_000) }));
    }
    expect(store.prune({ maxAgeDays: 30, maxBytes: 2_200 }, 100 * day)).toBe(2);
    expect(store.list({ limit: 10 }).map(({ id }) => id)).toEqual(["d1", "d2"]);
    expect(store.prune({ maxAgeDays: 30, maxBytes: 2_200 }, 100 * day)).toBe(0);
  });

  it("is readable by its owner only", () => {
    store.add(capture("one"));
    for (const file of readdirSync(folder)) expect(statSync(join(folder, file)).mode & 0o077).toBe(0);
  });

  it("leaves no deleted text in its files", () => {
    store.add(capture("one", { output: "CANARY-7f3a" }));
    store.delete(["one"]);
    for (const file of readdirSync(folder)) expect(readFileSync(join(folder, file), "latin1")).not.toContain("CANARY");
  });

  it("takes a second reader and writer at the same time", () => {
    const other = openCaptureStore(join(folder, "captures.db"));
    for (let index = 0; index < 20; index += 1) {
      store.add(capture(`s${index}`));
      other.add(capture(`o${index}`));
    }
    expect(store.list({ limit: 100 })).toHaveLength(40);
    other.close();
  });
});
