/** Makes a typed plan of a query's text. The only function that makes a plan. */
import { err, ok, type Result } from "../failure/failure.ts";
import { type QueryFault, QueryRefusal } from "./fault.ts";
import { parseQuery } from "./parser.ts";
import type { QueryPlan } from "./plan.ts";
import { queryPlanOf } from "./planner.ts";

export function planQuery(text: string): Result<QueryPlan, QueryFault> {
  try {
    return ok(queryPlanOf(parseQuery(text), text));
  } catch (cause) {
    if (cause instanceof QueryRefusal) return err(cause.fault);
    throw cause;
  }
}
