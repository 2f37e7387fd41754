import { appendFileSync, mkdtempSync, readdirSync, readFileSync, renameSync, rmSync, statSync } from "node:fs";
import { hostname, tmpdir } from "node:os";
import { join } from "node:path";
import fc from "fast-check";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { ExportBuffer } from "../../../src/sdk/export/export-buffer.ts";
import { bufferCounts, bufferedBodies, openJournalBuffer } from "../../../src/sdk/export/journal-buffer.ts";

let folder: string;
const opened: ExportBuffer[] = [];
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "modelrig-buffer-"));
});
afterEach(() => {
  for (const buffer of opened.splice(0)) buffer.close();
  rmSync(folder, { recursive: true, force: true });
});

function open(sender = "a"): ExportBuffer {
  const buffer = openJournalBuffer(folder, sender);
  opened.push(buffer);
  return buffer;
}

function close(buffer: ExportBuffer): void {
  opened.splice(opened.indexOf(buffer), 1);
  buffer.close();
}

const claim = (buffer: ExportBuffer, more: Partial<Parameters<ExportBuffer["claim"]>[0]> = {}) =>
  buffer.claim({ now: 1_000_000, mostItems: 10, mostBytes: 1_000, ...more });
const bodies = (items: readonly { readonly body: string }[]) => items.map(({ body }) => body);
const journals = (): string[] => readdirSync(folder).filter((name) => name.includes("~"));

/** As if the process that wrote it had been killed: no process has this id, it is above the kernel's limit. */
function orphan(buffer: ExportBuffer, sender = "a"): void {
  close(buffer);
  const name = journals().find((one) => one.startsWith(`${sender}~left~`)) ?? "";
  renameSync(join(folder, name), join(folder, `${sender}~${hostname()}~4194305~1-1.jsonl`));
}

describe("the journal of what waits to be sent", () => {
  it("is readable by its owner only", () => {
    open().add({ body: "1", at: 1 });
    for (const name of journals()) expect(statSync(join(folder, name)).mode & 0o777).toBe(0o600);
  });

  it("holds an item before `add` returns, and hands out the oldest first, as much as fits", () => {
    const buffer = open();
    const large = JSON.stringify("x".repeat(2_000));
    for (const body of ["1", "2", "3", large]) buffer.add({ body, at: 1 });
    expect(bufferedBodies(folder)).toEqual(["1", "2", "3", large]);
    expect(bodies(claim(buffer, { mostItems: 2 }))).toEqual(["1", "2"]);
    expect(bodies(claim(buffer))).toEqual(["3"]);
    // One that is larger than the whole batch may be goes alone.
    expect(bodies(claim(buffer))).toEqual([large]);
    expect(claim(buffer)).toEqual([]);
  });

  it("hands an item out again when its time has come, and counts the tries", () => {
    const buffer = open();
    buffer.add({ body: "1", at: 1 });
    const [item] = claim(buffer);
    buffer.postpone([item?.seq ?? 0], 2_000_000);
    expect(claim(buffer)).toEqual([]);
    expect(claim(buffer, { now: 2_000_000 })).toMatchObject([{ body: "1", attempts: 2 }]);
  });

  it("is left alone while its process lives, and taken over when that has closed it or is gone", () => {
    const one = open();
    one.add({ body: "1", at: 1 });
    const two = open();
    expect(claim(two)).toEqual([]);
    close(one);
    expect(bodies(claim(two, { now: 2_000_000 }))).toEqual(["1"]);
    const three = open();
    three.add({ body: "2", at: 1 });
    close(two);
    orphan(three);
    expect(bodies(claim(open())).toSorted()).toEqual(["1", "2"]);
  });

  it("loses nothing but a line that was cut, and writes on after it", () => {
    const one = open();
    one.add({ body: '"whole"', at: 1 });
    orphan(one);
    const [name = ""] = journals();
    appendFileSync(join(folder, name), '{"n":1,"at":2,"item":"cu');
    const two = open();
    expect(bodies(claim(two))).toEqual(['"whole"']);
    two.add({ body: '"more"', at: 3 });
    orphan(two);
    expect(bodies(claim(open()))).toEqual(['"whole"', '"more"']);
  });

  it("keeps apart what belongs to another key, until both are known to go to the same place", () => {
    const other = open("b");
    other.add({ body: '"other"', at: 1 });
    other.knowDestination("https://gateway org_1");
    close(other);
    const local = open("");
    local.add({ body: '"local"', at: 1 });
    close(local);
    const buffer = open();
    expect(claim(buffer)).toEqual([]);
    buffer.knowDestination("https://gateway org_2");
    expect(claim(buffer)).toEqual([]);
    buffer.knowDestination("https://gateway org_1");
    expect(bodies(claim(buffer))).toEqual(['"other"']);
  });

  it("forgets what arrived, keeps what was refused aside, and counts what waits", () => {
    const buffer = open();
    for (const body of ["1", "2", "3"]) buffer.add({ body, at: 1 });
    const [first, second] = claim(buffer, { mostItems: 2 });
    buffer.remove([first?.seq ?? 0]);
    buffer.bury([second?.seq ?? 0], { code: "invalid", message: "no", at: 5 });
    expect(buffer.counts()).toMatchObject({ waiting: 1, dead: 1 });
    expect(bufferCounts(folder)).toEqual(buffer.counts());
    expect(JSON.parse(readFileSync(join(folder, "dead.jsonl"), "utf8"))).toEqual({
      at: 5,
      code: "invalid",
      message: "no",
      body: "2",
    });
    expect(bodies(claim(buffer))).toEqual(["3"]);
  });

  it("leaves no file behind when all has arrived, and one for many processes when nothing has", () => {
    const buffer = open();
    buffer.add({ body: "1", at: 1 });
    buffer.remove(claim(buffer).map(({ seq }) => seq));
    close(buffer);
    expect(journals()).toEqual([]);
    for (let process = 0; process < 5; process += 1) {
      const next = open("");
      next.prune({ maxBytes: 1_000, before: 0, now: 10 });
      next.add({ body: String(process), at: process });
      close(next);
    }
    expect(journals()).toHaveLength(1);
    expect(bufferedBodies(folder)).toEqual(["0", "1", "2", "3", "4"]);
  });

  it("drops what is too old, then the oldest until the rest fits", () => {
    const buffer = open();
    for (const [body, at] of [
      ["old", 1],
      ["aaaa", 10],
      ["bbbb", 11],
      ["cccc", 12],
    ] as const)
      buffer.add({ body: JSON.stringify(body), at });
    const [line = ""] = readFileSync(join(folder, journals()[0] ?? ""), "utf8")
      .split("\n")
      .slice(-2);
    expect(buffer.prune({ before: 5, maxBytes: 2 * line.length, now: 20 })).toBe(2);
    expect(bodies(claim(buffer))).toEqual(['"bbbb"', '"cccc"']);
  });

  it("holds after any order of adds, answers and crashes what was added and did not arrive", () => {
    const step = fc.oneof(
      fc.record({ type: fc.constant("add" as const), text: fc.string({ unit: "binary", maxLength: 40 }) }),
      fc.record({ type: fc.constant("arrive" as const), count: fc.integer({ min: 1, max: 4 }) }),
      fc.constant({ type: "crash" as const }),
    );
    fc.assert(
      fc.property(fc.array(step, { maxLength: 40 }), (steps) => {
        const own = mkdtempSync(join(folder, "run-"));
        let buffer = openJournalBuffer(own, "a");
        let expected: string[] = [];
        let now = 0;
        for (const one of steps) {
          now += 20_000;
          if (one.type === "add") {
            const body = JSON.stringify(one.text);
            buffer.add({ body, at: now });
            expected.push(body);
          } else if (one.type === "arrive") {
            const items = buffer.claim({ now, mostItems: one.count, mostBytes: 1e6 });
            expect(bodies(items)).toEqual(expected.slice(0, items.length));
            buffer.remove(items.map(({ seq }) => seq));
            expected = expected.slice(items.length);
          } else {
            buffer.close();
            buffer = openJournalBuffer(own, "a");
          }
        }
        expect(bufferedBodies(own)).toEqual(expected);
        buffer.close();
      }),
      { numRuns: 60 },
    );
  });
});
