/** The caller's variables against the route's input schema. */
import { Validator } from "@cfworker/json-schema";
import { err, failure, ok, type Result } from "../failure/failure.ts";
import type { Route } from "./route.ts";

/** Fails with `bad_request`; `param` is the JSON pointer of the variable at fault, under `/input`. */
export function checkInput(route: Route, variables: Readonly<Record<string, unknown>>): Result<void> {
  if (route.input === undefined) return ok(undefined);
  const result = new Validator(route.input, "2020-12").validate(variables);
  if (result.valid) return ok(undefined);
  const [first] = result.errors;
  return err(
    failure("bad_request", `input does not fit the route's input schema: ${first?.error ?? ""}`, { param: "/input" }),
  );
}
