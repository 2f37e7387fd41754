import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { FAILURE_CLASSES } from "../../../src/failure/failure.ts";
import { GRADE_KINDS, type Grade } from "../../../src/runs/grade.ts";
import { type OutcomeEvidence, runOutcome } from "../../../src/runs/outcome.ts";
import { RUN_STATUSES } from "../../../src/runs/run.ts";

const step: fc.Arbitrary<OutcomeEvidence["steps"][number]> = fc
  .record({
    well: fc.nat(2),
    failed: fc.nat(2),
    endedAt: fc.nat(3),
    lastFailure: fc.option(fc.constantFrom(...FAILURE_CLASSES), { nil: undefined }),
  })
  .map(({ well, failed, endedAt, lastFailure }) => ({
    step: null,
    inferences: well + failed + 1,
    failed: lastFailure === undefined ? failed : failed + 1,
    endedAt,
    lastFailure,
  }));
const steps = fc
  .array(step, { maxLength: 6 })
  .map((all) => all.map((one, index) => ({ ...one, step: index === 0 ? null : `s${index}` })));
const grades: fc.Arbitrary<Grade[]> = fc.uniqueArray(
  fc.record({
    id: fc.string({ minLength: 1, maxLength: 3 }),
    subject: fc.record({ kind: fc.constant("run" as const), id: fc.constantFrom("r", "key") }),
    score: fc.constantFrom(0, 0.5, 1),
    kind: fc.constantFrom(...GRADE_KINDS),
    grader: fc.constantFrom("a", "b"),
    createdAt: fc.nat(2),
  }),
  { selector: ({ id }) => id, maxLength: 6 },
);
const run = fc.record({ status: fc.constantFrom(...RUN_STATUSES), declared: fc.boolean() });
const evidence = fc.record({ run, steps, grades });

const shuffled = <T>(all: readonly T[], keys: readonly number[]): T[] =>
  all
    .map((one, index) => [keys[index] ?? 0, one] as const)
    .sort(([a], [b]) => a - b)
    .map(([, one]) => one);
const keys = fc.array(fc.double({ noNaN: true }), { minLength: 6, maxLength: 6 });

describe("the outcome of a run", () => {
  it("does not depend on the order in which steps and grades come", () => {
    fc.assert(
      fc.property(evidence, keys, keys, (all, a, b) => {
        const other = { ...all, steps: shuffled(all.steps, a), grades: shuffled(all.grades, b) };
        expect(runOutcome(other)).toEqual(runOutcome(all));
      }),
      { numRuns: 2_000 },
    );
  });

  it("is what the last person said, whatever steps, checks and models say", () => {
    fc.assert(
      fc.property(evidence, fc.constantFrom(0, 1), (all, score) => {
        const others = all.grades.filter(({ kind }) => kind !== "human");
        const human: Grade = {
          id: "zzzz",
          subject: { kind: "run", id: "r" },
          score,
          kind: "human",
          grader: "p",
          createdAt: 9,
        };
        const { outcome, basis } = runOutcome({ ...all, grades: [...others, human] });
        expect([outcome, basis]).toEqual([score === 1 ? "pass" : "fail", "human"]);
      }),
    );
  });

  it("names a failure class only where it failed, and only one that a step ended with", () => {
    fc.assert(
      fc.property(evidence, (all) => {
        const { outcome, failureClass } = runOutcome(all);
        if (failureClass === undefined) return;
        expect(outcome).toBe("fail");
        expect(all.steps.map(({ lastFailure }) => lastFailure)).toContain(failureClass);
      }),
      { numRuns: 1_000 },
    );
  });
});
