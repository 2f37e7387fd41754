/** Checks the caller's variables against the route's input schema. */
import { err, failure, ok, type Result } from "../failure/failure.ts";
import { compileSchema } from "../json/schema/validate.ts";
import type { Route } from "./route.ts";

/** Fails with `bad_request`; `param` is the JSON pointer of the first variable at fault, under `/input`. */
export function checkInput(route: Route, variables: Readonly<Record<string, unknown>>): Result<void> {
  if (route.input === undefined) return ok(undefined);
  const validate = compileSchema(route.input);
  if (!validate.ok) {
    return err(failure("invariant_violation", `the input schema of route ${route.name} cannot be compiled`));
  }
  const result = validate.value(variables);
  if (result.valid) return ok(undefined);
  const told = result.errors.slice(0, 3).map(({ path, message }) => `/input${path}: ${message}`);
  const param = `/input${result.errors[0]?.path ?? ""}`;
  return err(failure("bad_request", `the input does not fit the route's input schema; ${told.join("; ")}`, { param }));
}
