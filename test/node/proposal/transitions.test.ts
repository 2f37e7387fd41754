import { describe, expect, it } from "vitest";
import { PROPOSAL_STATES, type ProposalState } from "../../../src/proposal/proposal.ts";
import { type ProposalEvent, transition } from "../../../src/proposal/transitions.ts";
import { triggerHash } from "../../../src/proposal/trigger-hash.ts";

const EVENTS: readonly ProposalEvent[] = ["evidence", "approve", "reject", "expire", "supersede"];

describe("a proposal's state", () => {
  it("moves only as the table says", () => {
    const legal = PROPOSAL_STATES.flatMap((state) =>
      EVENTS.flatMap((event) => {
        const to = transition(state, event);
        return to === undefined ? [] : [`${state} -${event}-> ${to}`];
      }),
    );
    expect(legal).toEqual([
      "suggested -evidence-> evidenced",
      "suggested -reject-> rejected",
      "suggested -expire-> expired",
      "suggested -supersede-> superseded",
      "evidenced -evidence-> evidenced",
      "evidenced -approve-> approved",
      "evidenced -reject-> rejected",
      "evidenced -expire-> expired",
      "evidenced -supersede-> superseded",
      "expired -evidence-> evidenced",
    ]);
  });

  it("cannot be approved without evidence", () => {
    expect(transition("suggested", "approve")).toBeUndefined();
  });

  it("is final once a human decided", () => {
    for (const state of ["approved", "rejected"] satisfies ProposalState[]) {
      for (const event of EVENTS) expect(transition(state, event)).toBeUndefined();
    }
  });
});

describe("the trigger hash", () => {
  const subject = {
    kind: "bakeoff",
    trigger: "manual_challenger",
    route: "a",
    serves: "h",
    proposes: "cheap",
  } as const;

  it("is the same for the same subject and differs in every field", async () => {
    const own = await triggerHash(subject);
    expect(await triggerHash({ ...subject })).toBe(own);
    expect(own).toMatch(/^[0-9a-f]{64}$/);
    for (const change of [
      { kind: "change" },
      { trigger: "new_model" },
      { route: "b" },
      { serves: "i" },
      { proposes: "x" },
    ] as const) {
      expect(await triggerHash({ ...subject, ...change })).not.toBe(own);
    }
  });

  it("does not confuse fields that run into each other", async () => {
    expect(await triggerHash({ ...subject, route: "ab", serves: "c" })).not.toBe(
      await triggerHash({ ...subject, route: "a", serves: "bc" }),
    );
  });
});
