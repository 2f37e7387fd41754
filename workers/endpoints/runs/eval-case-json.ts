import type { EvalCaseJson } from "../../../src/api/eval-cases.ts";
import { can } from "../../../src/identity/authorize.ts";
import type { Principal } from "../../../src/identity/principal.ts";
import type { EvalCase } from "../../../src/runs/eval-case.ts";
import { isoOf, isoOrNull } from "../wording.ts";

export function evalCaseJson(one: EvalCase): EvalCaseJson {
  return {
    id: one.id,
    task: one.task,
    input: one.input as EvalCaseJson["input"],
    expected: one.expected,
    corrected: one.corrected,
    origin: one.origin,
    artifact: one.artifact ?? null,
    run: one.run ?? null,
    created_at: isoOf(one.createdAt),
    archived_at: isoOrNull(one.archivedAt),
  };
}

/** Nothing of it for a key that may only write: it may be another's. */
export function evalCaseShownTo(principal: Principal, one: EvalCase): Partial<EvalCaseJson> {
  return can(principal, "read") ? evalCaseJson(one) : {};
}
