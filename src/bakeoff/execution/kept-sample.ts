/** One output that a user chose to keep at the gateway for review, with the input it answers. */
import { z } from "zod";
import { ID_PATTERN } from "../../route/identifier.ts";
import { QUALITY_METRICS } from "./sample.ts";

/** Characters of an input, and of an output. */
export const LONGEST_KEPT = 32_768;
export const MOST_KEPT_AT_ONCE = 20;
/** Of one bake-off. */
export const MOST_KEPT = 3_200;

export const keptSample = z.strictObject({
  input: z.string().min(1).max(160),
  arm: z.string().regex(ID_PATTERN),
  /** JSON text of the variables, or of the caller's request. */
  request: z.string().max(LONGEST_KEPT),
  output: z.string().max(LONGEST_KEPT),
  quality: z.strictObject({ metric: z.enum(QUALITY_METRICS), score: z.number().min(0).max(1) }).optional(),
});

export type KeptSample = z.infer<typeof keptSample>;
