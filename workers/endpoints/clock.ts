import { hasHappened } from "../../src/intake/fields.ts";
import { badRequest } from "../http/fault.ts";

/** Refuses times that are still to come: they would head every list. Keys are the fields' names. */
export function requireHappened(now: number, times: Readonly<Record<string, number | undefined>>): void {
  for (const [field, at] of Object.entries(times)) {
    if (at !== undefined && !hasHappened(at, now)) {
      throw badRequest(`${field}: it lies more than a day ahead of the gateway's clock`, "invalid_body", field);
    }
  }
}
