/** From the text of a query to a typed plan. The only door: nothing else makes a plan. */
import { err, ok, type Result } from "../failure/failure.ts";
import { type QueryFault, QueryRefusal } from "./fault.ts";
import { parseQuery } from "./parser.ts";
import type { Plan } from "./plan.ts";
import { planOf } from "./planner.ts";

export function planQuery(text: string): Result<Plan, QueryFault> {
  try {
    return ok(planOf(parseQuery(text), text));
  } catch (cause) {
    if (cause instanceof QueryRefusal) return err(cause.fault);
    throw cause;
  }
}
