/**
 * Why a call was made. `live`, `raw`, `auto`, `recorded` and `cache` are calls of an application. The others evaluate
 * or improve a route, and figures of production exclude them.
 */
export const LANES = [
  "live",
  "raw",
  "auto",
  "replay",
  "trial",
  "recorded",
  "judge",
  "probe",
  "reference",
  "optimizer",
  "cache",
] as const;
export type Lane = (typeof LANES)[number];

/** Lanes whose calls figures of production exclude. */
export const EVALUATION_LANES = [
  "replay",
  "trial",
  "judge",
  "probe",
  "reference",
  "optimizer",
] as const satisfies Lane[];
