import { mkdtempSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import Database from "libsql";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { type ExportBuffer, openExportBuffer } from "../../../src/localdb/export-buffer.ts";

let folder: string;
let file: string;
const opened: ExportBuffer[] = [];
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "modelrig-buffer-"));
  file = join(folder, "buffer.db");
});
afterEach(() => {
  for (const buffer of opened.splice(0)) buffer.close();
  rmSync(folder, { recursive: true, force: true });
});

function open(): ExportBuffer {
  const buffer = openExportBuffer(file);
  opened.push(buffer);
  return buffer;
}

const claim = (buffer: ExportBuffer, more: Partial<Parameters<ExportBuffer["claim"]>[0]> = {}) =>
  buffer.claim({ sender: "a", now: 1_000, leaseMs: 60_000, mostItems: 10, mostBytes: 1_000, ...more });
const bodies = (items: readonly { readonly body: string }[]) => items.map(({ body }) => body);

describe("the export buffer", () => {
  it("is readable by its owner only", () => {
    open().add({ body: "1", at: 1, sender: "a" });
    expect(statSync(file).mode & 0o777).toBe(0o600);
  });

  it("hands out the oldest first, as much as fits, and each to one holder at a time", () => {
    const [one, two] = [open(), open()];
    for (const body of ["1", "2", "3", "x".repeat(2_000)]) one.add({ body, at: 1, sender: "a" });
    expect(bodies(claim(one, { mostItems: 2 }))).toEqual(["1", "2"]);
    expect(bodies(claim(two))).toEqual(["3"]);
    // One that is larger than the whole batch may be goes alone.
    expect(bodies(claim(two))).toEqual(["x".repeat(2_000)]);
    expect(claim(one)).toEqual([]);
  });

  it("gives an item to the next when its lease is over, and at once when it is handed back", () => {
    const [one, two] = [open(), open()];
    one.add({ body: "1", at: 1, sender: "a" });
    const [item] = claim(one);
    expect(claim(two, { now: 60_999 })).toEqual([]);
    expect(bodies(claim(two, { now: 61_000 }))).toEqual(["1"]);
    two.postpone([item?.seq ?? 0], 0);
    expect(claim(one, { now: 61_001 })).toMatchObject([{ body: "1", attempts: 3 }]);
  });

  it("gives an item to the next when the process that held it is gone", () => {
    const buffer = open();
    buffer.add({ body: "1", at: 1, sender: "a" });
    claim(buffer);
    const db = new Database(file);
    const host = (db.prepare("select holder from items").get() as { holder: string }).holder.split("/")[0];
    // No process has this id: it is above the kernel's limit.
    db.prepare("update items set holder = ?").run(`${host}/4194305/1-1`);
    db.close();
    expect(bodies(claim(open()))).toEqual(["1"]);
  });

  it("keeps apart what belongs to another key, until both are known to go to the same place", () => {
    const buffer = open();
    buffer.add({ body: "mine", at: 1, sender: "a" });
    buffer.add({ body: "other", at: 1, sender: "b" });
    buffer.add({ body: "local", at: 1, sender: "" });
    expect(bodies(claim(buffer))).toEqual(["mine"]);
    buffer.knowSender("a", "https://gateway org_1");
    buffer.knowSender("b", "https://gateway org_2");
    expect(claim(buffer)).toEqual([]);
    buffer.knowSender("b", "https://gateway org_1");
    expect(bodies(claim(buffer))).toEqual(["other"]);
  });

  it("forgets what arrived, keeps what was refused aside, and counts what waits", () => {
    const buffer = open();
    for (const body of ["1", "2", "3"]) buffer.add({ body, at: 1, sender: "a" });
    const [first, second] = claim(buffer, { mostItems: 2 });
    buffer.remove([first?.seq ?? 0]);
    buffer.bury([second?.seq ?? 0], { code: "invalid", message: "no", at: 5 });
    expect(buffer.counts(1_000)).toEqual({ waiting: 1, bytes: 1, dead: 1 });
    expect(buffer.counts(1_000, "b")).toEqual({ waiting: 0, bytes: 0, dead: 1 });
    expect(bodies(claim(buffer))).toEqual(["3"]);
  });

  it("drops what is too old, then the oldest until the rest fits", () => {
    const buffer = open();
    for (const [body, at] of [
      ["old", 1],
      ["aaaa", 10],
      ["bbbb", 11],
      ["cccc", 12],
    ] as const) {
      buffer.add({ body, at, sender: "a" });
    }
    expect(buffer.prune({ before: 5, maxBytes: 8 })).toBe(2);
    expect(bodies(claim(buffer))).toEqual(["bbbb", "cccc"]);
  });
});
