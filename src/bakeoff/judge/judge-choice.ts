/** Chooses the judge: a declared candidate that is neither an arm's model nor of an arm's family. Decided before spending. */
import { modelFamilies } from "../../provider/model-family.ts";
import type { Candidate, Route } from "../../route/route.ts";
import type { Arm } from "../plan/arm.ts";

export type JudgeChoice =
  | {
      readonly type: "judge";
      readonly candidate: Candidate;
      /** Model that rewords right answers for its examination, beside its own: what all arms are held against. */
      readonly other: Candidate;
      /** Pairs judged at most, over all arms. */
      readonly maxPairs: number;
      /** Names of the arms it may judge against `against`. */
      readonly arms: readonly string[];
      readonly against: string;
      /** Why it may not judge the others, by arm. */
      readonly refused: Readonly<Record<string, string>>;
    }
  | { readonly type: "none"; readonly reason: string };

/** `undefined` where the route declares no judge. */
export function chooseJudge(route: Route, arms: readonly Arm[]): JudgeChoice | undefined {
  const declared = route.bakeoff?.judge;
  if (!declared) return undefined;
  const candidate = route.candidates.find(({ key }) => key === declared.model);
  if (!candidate) return none(`the judge ${declared.model} is no declared candidate of ${route.name}`);
  const against = arms.find(({ role }) => role === "reference") ?? arms.find(({ role }) => role === "incumbent");
  if (!against) return none("there is nothing to judge against");
  const conflict = conflictWith(candidate, against);
  if (conflict !== undefined) return none(`the judge ${candidate.key} ${conflict}, which the arms are held against`);
  const [other] = against.narrowed.candidates;
  if (!other) return none(`${against.name} has no candidate`);
  const judged = arms.filter((arm) => arm !== against);
  const refused: Record<string, string> = {};
  for (const arm of judged) {
    const reason = conflictWith(candidate, arm);
    if (reason !== undefined) refused[arm.name] = `the judge ${candidate.key} ${reason}`;
  }
  const allowed = judged.filter(({ name }) => refused[name] === undefined).map(({ name }) => name);
  if (allowed.length === 0) return none(Object.values(refused).join("; ") || "there is no arm to judge");
  return {
    type: "judge",
    candidate,
    other,
    maxPairs: declared.maxSamples,
    arms: allowed,
    against: against.name,
    refused,
  };
}

/** A model prefers its own words, and its family's. */
function conflictWith(judge: Candidate, { name, narrowed }: Arm): string | undefined {
  const own = modelFamilies(judge.model);
  for (const { key, model } of narrowed.candidates) {
    if (key === judge.key || model === judge.model) return `is a model of ${name}`;
    const shared = modelFamilies(model).find((family) => own.includes(family));
    if (shared !== undefined) return `is of the same family (${shared}) as ${key} of ${name}`;
  }
  return undefined;
}

function none(reason: string): JudgeChoice {
  return { type: "none", reason };
}
