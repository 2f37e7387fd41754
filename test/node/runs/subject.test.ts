import { describe, expect, it } from "vitest";
import { subjectKey } from "../../../src/runs/grade.ts";
import { ARRIVES_WITHIN_MS, awaitSubject, subjectStates } from "../../../src/runs/subject.ts";

const MADE_AT = 1_795_985_055_738;
const own = `inf_${MADE_AT.toString(16).padStart(12, "0")}7abc8def0123456789ab`;
const call = (id: string) => ({ kind: "inference" as const, id });

/** A store that knows one more subject with every look, and a clock that only sleeping moves. */
function world(arrivesAtLook: number) {
  const seen = { looks: 0, now: MADE_AT + 1 };
  const known = async () => {
    seen.looks += 1;
    return new Set(seen.looks >= arrivesAtLook ? [subjectKey(call(own))] : []);
  };
  const clock = {
    now: () => seen.now,
    sleep: async (ms: number) => {
      seen.now += ms;
    },
  };
  return { seen, store: { known }, clock };
}

describe("the subject of a grade", () => {
  it.each([
    ["an id made now", own, 0, "maybe_later"],
    ["an id made two minutes ago", own, ARRIVES_WITHIN_MS, "unknown"],
    ["an id just younger than that", own, ARRIVES_WITHIN_MS - 1, "maybe_later"],
    ["an id of a clock a little ahead", own, -5_000, "maybe_later"],
    ["an id from the future", own, -60_000, "unknown"],
    ["an id of another's making", "chatcmpl-123", 0, "unknown"],
    ["an id that only looks like ours", `${own}0`, 0, "unknown"],
  ] as const)("is, where it is not there, for %s …", async (_what, id, age, state) => {
    const { store } = world(Number.POSITIVE_INFINITY);
    expect(await subjectStates([call(id)], store, undefined, MADE_AT + age)).toEqual([state]);
  });

  it("that is a run or an artifact is not waited for: its id does not tell when it was made", async () => {
    const { store } = world(Number.POSITIVE_INFINITY);
    const subjects = (["run", "artifact"] as const).map((kind) => ({ kind, id: own }));
    expect(await subjectStates(subjects, store, undefined, MADE_AT)).toEqual(["unknown", "unknown"]);
  });

  it("is known where it is there, however old", async () => {
    const { store } = world(0);
    expect(await subjectStates([call("x"), call(own)], store, undefined, MADE_AT * 2)).toEqual(["unknown", "known"]);
  });

  it("is looked for again while it may arrive, for about three seconds", async () => {
    const late = world(4);
    expect(await awaitSubject(call(own), late.store, undefined, late.clock)).toBe("known");
    expect(late.seen.looks).toBe(4);
    const never = world(Number.POSITIVE_INFINITY);
    expect(await awaitSubject(call(own), never.store, undefined, never.clock)).toBe("maybe_later");
    expect(never.seen.now - MADE_AT).toBeLessThanOrEqual(3_001);
    expect(never.seen.now - MADE_AT).toBeGreaterThanOrEqual(2_500);
  });

  it("is looked for once where it cannot arrive any more", async () => {
    const { seen, store, clock } = world(Number.POSITIVE_INFINITY);
    expect(await awaitSubject(call("x"), store, undefined, clock)).toBe("unknown");
    expect(seen).toEqual({ looks: 1, now: MADE_AT + 1 });
  });
});
