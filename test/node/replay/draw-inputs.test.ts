import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { type Drawable, drawInputs, repeated, type Sampling } from "../../../src/replay/draw-inputs.ts";

const call = (id: number, more: Partial<Drawable> = {}): Drawable => ({
  id: `c${id}`,
  at: 1000 - id,
  failed: false,
  tags: {},
  key: `k${id}`,
  ...more,
});
const sampling = (more: Partial<Sampling> = {}): Sampling => ({ last: 4, failuresFirst: false, ...more });
const ids = (calls: readonly Drawable[], how: Sampling) => drawInputs(calls, how).map(({ id }) => id);

describe("drawing inputs", () => {
  it("takes the newest, and reads no further than it must", () => {
    let read = 0;
    function* many() {
      for (let id = 0; id < 1_000; id += 1) {
        read += 1;
        yield call(id);
      }
    }
    expect(drawInputs(many(), sampling()).map(({ id }) => id)).toEqual(["c0", "c1", "c2", "c3"]);
    expect(read).toBe(4);
  });

  it("takes calls that failed before the others, each newest first", () => {
    const calls = [call(0), call(1, { failed: true }), call(2), call(3), call(4, { failed: true }), call(5)];
    expect(ids(calls, sampling({ failuresFirst: true }))).toEqual(["c1", "c4", "c0", "c2"]);
  });

  it("takes in turn from each value of a tag, small groups whole", () => {
    const calls = [0, 1, 2, 3, 4, 5].map((id) => call(id, { tags: { client: id === 5 ? "small" : "big" } }));
    expect(ids(calls, sampling({ stratify: "client" }))).toEqual(["c0", "c5", "c1", "c2"]);
  });

  it("counts calls without the tag as a group of their own", () => {
    const calls = [call(0, { tags: { client: "a" } }), call(1), call(2, { tags: { client: "a" } }), call(3)];
    expect(ids(calls, sampling({ stratify: "client", last: 2 }))).toEqual(["c0", "c1"]);
  });

  it("does both at once: failures first, in turn among them", () => {
    const calls = [
      call(0, { tags: { client: "a" } }),
      call(1, { tags: { client: "a" }, failed: true }),
      call(2, { tags: { client: "b" }, failed: true }),
      call(3, { tags: { client: "a" }, failed: true }),
    ];
    expect(ids(calls, sampling({ stratify: "client", failuresFirst: true, last: 3 }))).toEqual(["c1", "c2", "c3"]);
  });

  it("makes equal inputs one with a weight, known by its newest call", () => {
    const calls = [call(0, { key: "same", cluster: "acme" }), call(1), call(2, { key: "same", cluster: "other" })];
    expect(drawInputs(calls, sampling())).toEqual([
      { id: "c0", at: 1000, weight: 2, cluster: "acme", item: "same" },
      { id: "c1", at: 999, weight: 1, cluster: undefined, item: "k1" },
    ]);
  });

  it("never loses or invents a call: the weights add up to what was taken", () => {
    const calls = fc.array(
      fc.record({ key: fc.nat(5), failed: fc.boolean(), client: fc.constantFrom("a", "b", undefined) }),
      { maxLength: 40 },
    );
    fc.assert(
      fc.property(calls, fc.integer({ min: 1, max: 50 }), fc.boolean(), fc.boolean(), (drawn, last, first, strata) => {
        const all = drawn.map(({ key, failed, client }, id) =>
          call(id, { key: `k${key}`, failed, tags: client === undefined ? {} : { client } }),
        );
        const how = sampling({ last, failuresFirst: first, stratify: strata ? "client" : undefined });
        const taken = drawInputs(all, how);
        expect(taken.reduce((sum, { weight }) => sum + weight, 0)).toBe(Math.min(last, all.length));
        expect(new Set(taken.map(({ id }) => id)).size).toBe(taken.length);
      }),
    );
  });
});

describe("repeats", () => {
  const as = <T extends object>(input: T, id: string, cluster: string) => ({ ...input, id, cluster });

  it("are inputs of their own that belong to one item", () => {
    expect(repeated([{ id: "a" }, { id: "b", cluster: "acme" }], 2, as)).toEqual([
      { id: "a", cluster: "a" },
      { id: "a#2", cluster: "a" },
      { id: "b", cluster: "acme" },
      { id: "b#2", cluster: "acme" },
    ]);
  });

  it("of one leave inputs as they are", () => {
    expect(repeated([{ id: "a" }], 1, as)).toEqual([{ id: "a" }]);
  });
});
