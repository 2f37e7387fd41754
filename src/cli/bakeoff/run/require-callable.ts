import type { BakeoffPlan } from "../../../bakeoff/plan/bakeoff-plan.ts";
import { uncallable } from "../../../bakeoff/plan/uncallable.ts";
import type { CallPorts } from "../../../call/ports.ts";
import { CliError, EXIT } from "../../command.ts";

/** Before anything is spent. */
export function requireCallable(plan: BakeoffPlan, ports: CallPorts): void {
  const found = uncallable(plan, ports);
  if (!found) return;
  const { arm, why } = found;
  throw new CliError("bakeoff.cannot_call", `${arm ?? "the judge"} cannot be called: ${why}`, {
    exitCode: EXIT.usage,
    fix: `set what is missing${arm === undefined ? "" : " (environment or .env), or leave it out: --variants"}`,
  });
}
