/**
 * Why a call was made. `live`, `raw`, `auto`, `recorded` and `cache` are calls of an application; the others are calls
 * that evaluate or improve a route, and no figure of production counts them.
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

/** Lanes whose calls no figure of production counts. */
export const EVALUATION_LANES = [
  "replay",
  "trial",
  "judge",
  "probe",
  "reference",
  "optimizer",
] as const satisfies Lane[];
