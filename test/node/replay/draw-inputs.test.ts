import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { drawInputs, drawText, type Sampling } from "../../../src/replay/draw-inputs.ts";
import type { RecordedInput } from "../../../src/replay/recorded-input.ts";
import { repeated } from "../../../src/replay/repeats.ts";

const call = (id: number, more: Partial<RecordedInput> = {}): RecordedInput => ({
  id: `c${id}`,
  at: 1000 - id,
  failed: false,
  tags: {},
  kind: "variables",
  question: `k${id}`,
  ...more,
});
const sampling = (more: Partial<Sampling> = {}): Sampling => ({ last: 4, failuresFirst: false, ...more });
const ids = async (calls: Iterable<RecordedInput>, how: Sampling) =>
  (await drawInputs(calls, how)).inputs.map(({ id }) => id);

describe("drawing inputs", () => {
  it("takes the newest, and reads no further than it must", async () => {
    let read = 0;
    function* many() {
      for (let id = 0; id < 1_000; id += 1) {
        read += 1;
        yield call(id);
      }
    }
    expect(await ids(many(), sampling())).toEqual(["c0", "c1", "c2", "c3"]);
    expect(read).toBe(4);
  });

  it("takes calls that failed before the others, each newest first", async () => {
    const calls = [call(0), call(1, { failed: true }), call(2), call(3), call(4, { failed: true }), call(5)];
    expect(await ids(calls, sampling({ failuresFirst: true }))).toEqual(["c1", "c4", "c0", "c2"]);
  });

  it("takes in turn from each value of a tag, small groups whole", async () => {
    const calls = [0, 1, 2, 3, 4, 5].map((id) => call(id, { tags: { client: id === 5 ? "small" : "big" } }));
    expect(await ids(calls, sampling({ stratify: "client" }))).toEqual(["c0", "c5", "c1", "c2"]);
  });

  it("counts calls without the tag as a group of their own", async () => {
    const calls = [call(0, { tags: { client: "a" } }), call(1), call(2, { tags: { client: "a" } }), call(3)];
    expect(await ids(calls, sampling({ stratify: "client", last: 2 }))).toEqual(["c0", "c1"]);
  });

  it("does both at once: failures first, in turn among them", async () => {
    const calls = [
      call(0, { tags: { client: "a" } }),
      call(1, { tags: { client: "a" }, failed: true }),
      call(2, { tags: { client: "b" }, failed: true }),
      call(3, { tags: { client: "a" }, failed: true }),
    ];
    expect(await ids(calls, sampling({ stratify: "client", failuresFirst: true, last: 3 }))).toEqual([
      "c1",
      "c2",
      "c3",
    ]);
  });

  it("makes equal questions one input with a weight, known by its newest call and in its cluster", async () => {
    const calls = [
      call(0, { question: "same", tags: { customer: "acme" } }),
      call(1),
      call(2, { question: "same", tags: { customer: "other" } }),
      call(3, { tags: { customer: "acme" } }),
    ];
    const { inputs } = await drawInputs(calls, sampling());
    expect(inputs.map(({ id, at, weight, cluster, question }) => ({ id, at, weight, cluster, question }))).toEqual([
      { id: "c0", at: 1000, weight: 2, cluster: "customer:acme", question: "same" },
      { id: "c1", at: 999, weight: 1, cluster: undefined, question: "k1" },
      { id: "c3", at: 997, weight: 1, cluster: "customer:acme", question: "k3" },
    ]);
  });

  it("never loses or invents a call: the weights add up to what was taken, and no question comes twice", async () => {
    const calls = fc.array(
      fc.record({ key: fc.nat(5), failed: fc.boolean(), client: fc.constantFrom("a", "b", undefined) }),
      { maxLength: 40 },
    );
    await fc.assert(
      fc.asyncProperty(
        calls,
        fc.integer({ min: 1, max: 50 }),
        fc.boolean(),
        fc.boolean(),
        async (drawn, last, first, strata) => {
          const all = drawn.map(({ key, failed, client }, id) =>
            call(id, { question: `k${key}`, failed, tags: client === undefined ? {} : { client } }),
          );
          const how = sampling({ last, failuresFirst: first, stratify: strata ? "client" : undefined });
          const { inputs } = await drawInputs(all, how);
          expect(inputs.reduce((sum, { weight }) => sum + weight, 0)).toBe(Math.min(last, all.length));
          expect(new Set(inputs.map(({ question }) => question)).size).toBe(inputs.length);
        },
      ),
    );
  });

  it("says in words what was taken, what came more than once and what belongs together", async () => {
    const calls = [0, 1, 2, 3].map((id) =>
      call(id, { question: id < 2 ? "same" : `k${id}`, tags: { customer: id < 3 ? "a" : "b" } }),
    );
    const how = sampling({ failuresFirst: true });
    expect(drawText(await drawInputs(calls, how), how, "the last 4 captures", 2)).toBe(
      "the last 4 captures, failed ones first, 4 calls asked 3 different inputs, those of one customer belong together, each 2 times",
    );
  });
});

describe("repeats", () => {
  it("are inputs of their own that belong to one item", () => {
    expect(repeated([{ id: "a" }, { id: "b", cluster: "acme" }], 2)).toEqual([
      { id: "a", cluster: "a" },
      { id: "a#2", cluster: "a" },
      { id: "b", cluster: "acme" },
      { id: "b#2", cluster: "acme" },
    ]);
  });

  it("of one leave inputs as they are", () => {
    expect(repeated([{ id: "a" }], 1)).toEqual([{ id: "a" }]);
  });
});
