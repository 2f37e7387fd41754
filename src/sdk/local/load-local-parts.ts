/** Loads what is kept in SQLite when it is first needed. */
import { RigConfigError } from "../errors.ts";

type LocalParts = typeof import("./local-parts.ts");

let loading: Promise<LocalParts> | undefined;

/** Rejects with `RigConfigError` where the package `modelrig` is not installed beside this one. */
export function loadLocalParts(): Promise<LocalParts> {
  loading ??= import("./local-parts.ts").catch((cause: unknown) => {
    loading = undefined;
    const what = "captures and spend limits of this machine need the package modelrig beside modelrig-sdk";
    throw new RigConfigError("local.missing", what, "npm install modelrig, or keep limits at a gateway", cause);
  });
  return loading;
}
