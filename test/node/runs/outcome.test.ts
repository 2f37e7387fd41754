import { describe, expect, it } from "vitest";
import type { Grade, GradeKind } from "../../../src/runs/grade.ts";
import { type OutcomeEvidence, type RunOutcome, runOutcome } from "../../../src/runs/outcome.ts";

type Step = OutcomeEvidence["steps"][number];

const well = (step: string | null, more: Partial<Step> = {}): Step => ({
  step,
  inferences: 1,
  failed: 0,
  endedAt: 10,
  ...more,
});
const broken = (step: string | null, lastFailure: string, more: Partial<Step> = {}): Step =>
  well(step, { failed: 1, lastFailure, ...more });

let grades = 0;
const graded = (kind: GradeKind, score: number, more: Partial<Grade> = {}): Grade => {
  grades += 1;
  return {
    id: `g${String(grades).padStart(3, "0")}`,
    subject: { kind: "run", id: "r" },
    score,
    kind,
    grader: "g",
    createdAt: 1,
    ...more,
  };
};

const succeeded = { status: "succeeded", declared: true } as const;
const failed = { status: "failed", declared: true } as const;
const canceled = { status: "canceled", declared: true } as const;
const running = { status: "running", declared: true } as const;
const impliedOnly = { status: "running", declared: false } as const;

type Case = readonly [string, Partial<OutcomeEvidence>, RunOutcome];

const CASES: readonly Case[] = [
  // What was reported.
  ["that succeeded", { run: succeeded }, { outcome: "pass", basis: "status" }],
  ["that failed", { run: failed }, { outcome: "fail", basis: "status" }],
  ["that was canceled", { run: canceled, steps: [broken("a", "network")] }, { outcome: "unknown", basis: "status" }],
  ["that still runs", { run: running, steps: [well("a")] }, { outcome: "unknown", basis: "status" }],
  [
    "that still runs and may yet try a broken step again",
    { run: running, steps: [broken("a", "network")] },
    { outcome: "unknown", basis: "status" },
  ],
  // What its steps tell.
  [
    "whose step ended in failure, though its code reported success",
    { run: succeeded, steps: [well("a"), broken("b", "content_invalid")] },
    { outcome: "fail", basis: "steps", failureClass: "content_invalid" },
  ],
  [
    "whose step failed, was tried again and ended well",
    { run: succeeded, steps: [well("a", { inferences: 3, failed: 2 })] },
    { outcome: "pass", basis: "status" },
  ],
  [
    "whose last call of a step was canceled",
    { run: succeeded, steps: [broken("a", "canceled")] },
    { outcome: "pass", basis: "status" },
  ],
  [
    "whose calls name no step and did not all fail",
    { run: succeeded, steps: [broken(null, "network", { inferences: 2, failed: 1 })] },
    { outcome: "pass", basis: "status" },
  ],
  [
    "whose calls name no step and all failed",
    { run: succeeded, steps: [broken(null, "network", { inferences: 2, failed: 2 })] },
    { outcome: "fail", basis: "steps", failureClass: "network" },
  ],
  [
    "known only from calls that ended well",
    { run: impliedOnly, steps: [well("a")] },
    { outcome: "pass", basis: "steps" },
  ],
  [
    "known only from calls, one step of which broke",
    { run: impliedOnly, steps: [broken("a", "network"), well("b")] },
    { outcome: "fail", basis: "steps", failureClass: "network" },
  ],
  ["known only by name", { run: impliedOnly }, { outcome: "unknown", basis: "none" }],
  // The class that dominates.
  [
    "of which more steps broke in one way than in another",
    { run: failed, steps: [broken("a", "network"), broken("b", "network"), broken("c", "truncated", { endedAt: 99 })] },
    { outcome: "fail", basis: "status", failureClass: "network" },
  ],
  [
    "of which as many steps broke in either way: the later one counts",
    { run: failed, steps: [broken("a", "network", { endedAt: 11 }), broken("b", "truncated")] },
    { outcome: "fail", basis: "status", failureClass: "network" },
  ],
  [
    "that failed though every step ended well",
    { run: failed, steps: [well("a", { inferences: 2, failed: 1 })] },
    { outcome: "fail", basis: "status" },
  ],
  // What graders say.
  [
    "a person called good, whatever else says",
    { run: failed, steps: [broken("a", "network")], grades: [graded("human", 1), graded("deterministic", 0)] },
    { outcome: "pass", basis: "human" },
  ],
  [
    "a person called bad, whatever else says",
    {
      run: succeeded,
      steps: [well("a")],
      grades: [graded("human", 0.2), graded("deterministic", 1), graded("model", 1)],
    },
    { outcome: "fail", basis: "human" },
  ],
  [
    "a check passed and a model called bad",
    { run: succeeded, grades: [graded("model", 0), graded("deterministic", 1)] },
    { outcome: "pass", basis: "deterministic" },
  ],
  [
    "one of two checks failed",
    {
      run: succeeded,
      grades: [graded("deterministic", 1, { grader: "a" }), graded("deterministic", 0, { grader: "b" })],
    },
    { outcome: "fail", basis: "deterministic" },
  ],
  ["a model called bad", { run: succeeded, grades: [graded("model", 0.49)] }, { outcome: "fail", basis: "model" }],
  ["graded at the threshold", { run: succeeded, grades: [graded("model", 0.5)] }, { outcome: "pass", basis: "model" }],
  [
    "that reported its failure and passed a check before",
    { run: failed, grades: [graded("deterministic", 1)] },
    { outcome: "fail", basis: "status" },
  ],
  [
    "that still runs and was graded",
    { run: running, grades: [graded("deterministic", 0)] },
    { outcome: "fail", basis: "deterministic" },
  ],
  [
    "called bad of which a step broke",
    { run: succeeded, steps: [broken("a", "truncated")], grades: [graded("human", 0)] },
    { outcome: "fail", basis: "human", failureClass: "truncated" },
  ],
  [
    "whose grader changed their mind",
    { run: succeeded, grades: [graded("human", 0, { createdAt: 1 }), graded("human", 1, { createdAt: 2 })] },
    { outcome: "pass", basis: "human" },
  ],
  [
    "whose grader changed their mind in the same millisecond",
    { run: succeeded, grades: [graded("human", 0, { id: "b" }), graded("human", 1, { id: "a" })] },
    { outcome: "fail", basis: "human" },
  ],
  [
    "graded by its episode key first and by its id later",
    {
      run: succeeded,
      grades: [
        graded("human", 0, { subject: { kind: "run", id: "ticket-1" }, createdAt: 1 }),
        graded("human", 1, { createdAt: 2 }),
      ],
    },
    { outcome: "pass", basis: "human" },
  ],
];

describe("run-outcome@v1 of a run", () => {
  it.each(CASES)("%s", (_kind, evidence, outcome) => {
    expect(runOutcome({ run: succeeded, steps: [], grades: [], ...evidence })).toEqual(outcome);
  });
});
