/** Checks the rules of single keys that no shape expresses. */
import { modelFamilies } from "../provider/model-family.ts";
import type { BundleDraft } from "./bundle-shape.ts";
import { candidateKey } from "./check-candidates.ts";
import { checkSchema } from "./check-schema.ts";
import { type Fault, type KeyPath, nearest } from "./fault.ts";
import type { LocatedYaml } from "./located-yaml.ts";

export function checkMeaning(document: LocatedYaml, draft: BundleDraft): Fault[] {
  return [
    ...checkName(document, draft),
    ...checkTimeouts(document, draft),
    ...checkBakeoff(document, draft),
    ...checkChecks(document, draft),
  ];
}

function checkName(document: LocatedYaml, { route }: BundleDraft): Fault[] {
  const base = document.file.split(/[\\/]/).at(-1) ?? document.file;
  const expected = base.replace(/\.ya?ml$/, "");
  if (route === undefined || route === expected) return [];
  const message = `route ${route} must equal the file name: write ${expected}, or rename the file to ${route}.yaml`;
  return [document.fault("route.name_is_not_file_name", message, { path: ["route"], suggestion: expected })];
}

function checkTimeouts(document: LocatedYaml, { timeout_ms, timeouts }: BundleDraft): Fault[] {
  const faults: Fault[] = [];
  if (timeout_ms !== undefined && timeouts?.attempt_ms !== undefined) {
    const message = "timeout_ms is short for timeouts.attempt_ms; keep one of them";
    faults.push(document.fault("route.timeout_twice", message, { path: ["timeout_ms"], spot: "key" }));
  }
  const attempt = timeout_ms ?? timeouts?.attempt_ms;
  if (attempt !== undefined && timeouts?.call_ms !== undefined && attempt > timeouts.call_ms) {
    const message = `an attempt of ${attempt} ms can never finish within call_ms ${timeouts.call_ms}`;
    faults.push(
      document.fault("route.timeouts_cross", message, { path: ["timeouts", "call_ms"], severity: "warning" }),
    );
  }
  return faults;
}

function checkBakeoff(document: LocatedYaml, { bakeoff, candidates, objective }: BundleDraft): Fault[] {
  const keys = (candidates ?? []).flatMap((candidate) => (candidate ? [candidateKey(candidate)] : []));
  const complete = keys.length === candidates?.length;
  const faults: Fault[] = [];
  const declared = (key: string | undefined, code: string, what: string, path: KeyPath) => {
    if (key === undefined || key === "auto" || !complete || keys.includes(key)) return;
    const suggestion = nearest(key, keys);
    const hint = suggestion ? `did you mean ${suggestion}?` : "declare it with trial: true";
    faults.push(document.fault(code, `${what} ${key} is not a declared candidate; ${hint}`, { path, suggestion }));
  };
  declared(bakeoff?.judge?.model, "route.judge_not_declared", "the judge", ["bakeoff", "judge", "model"]);
  declared(bakeoff?.reference, "route.reference_not_declared", "the reference", ["bakeoff", "reference"]);
  faults.push(...checkJudge(document, bakeoff));
  if (bakeoff?.regret_monitor?.enabled && bakeoff.reference === undefined) {
    const message = "regret_monitor measures against a reference; add bakeoff.reference (auto, or provider/model)";
    faults.push(
      document.fault("route.monitor_without_reference", message, { path: ["bakeoff", "regret_monitor"], spot: "key" }),
    );
  }
  if (
    objective &&
    objective.mode !== "cost-first" &&
    objective.max_regret === undefined &&
    objective.price_ceiling === undefined
  ) {
    const message = `${objective.mode} without max_regret or price_ceiling bounds nothing: bake-offs report and propose nothing`;
    faults.push(
      document.fault("route.unbounded_objective", message, { path: ["objective"], spot: "key", severity: "warning" }),
    );
  }
  return faults;
}

/** Which arms a judge may judge depends on the arms; its reference is known here. */
function checkJudge(document: LocatedYaml, bakeoff: BundleDraft["bakeoff"]): Fault[] {
  const { judge, reference } = bakeoff ?? {};
  if (!judge || reference === undefined || reference === "auto") return [];
  const own = modelFamilies(modelOf(judge.model));
  const shared = modelFamilies(modelOf(reference)).find((family) => own.includes(family));
  if (shared === undefined) return [];
  const message = `the judge ${judge.model} is of the reference's family (${shared}), so it may not judge; choose another`;
  const path = ["bakeoff", "judge", "model"];
  return [document.fault("route.judge_of_family", message, { path, severity: "warning" })];
}

/** Returns the provider of `provider/model`. */
function modelOf(key: string): string {
  return key.slice(key.indexOf("/") + 1);
}

function checkChecks(document: LocatedYaml, { value_checks: checks, output }: BundleDraft): Fault[] {
  const faults = (checks ?? []).flatMap((check, index) =>
    check ? checkExpectation(document, check.expect, ["value_checks", index, "expect"]) : [],
  );
  if ((checks?.length ?? 0) === 0 || output !== undefined || valueHasOutput(document)) return faults;
  const message = "value_checks look into the JSON output, and the route declares no output.schema";
  const without = document.fault("route.checks_without_output", message, { path: ["value_checks"], spot: "key" });
  return [...faults, without];
}

type Expectation = NonNullable<NonNullable<BundleDraft["value_checks"]>[number]>["expect"];

function checkExpectation(document: LocatedYaml, { schema }: Expectation, path: KeyPath): Fault[] {
  return schema === undefined ? [] : checkSchema(document, [...path, "schema"], schema);
}

/** True where `output` was written but could not be read; that fault is reported already. */
function valueHasOutput(document: LocatedYaml): boolean {
  return typeof document.value === "object" && document.value !== null && "output" in document.value;
}
