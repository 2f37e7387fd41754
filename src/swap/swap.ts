/** The record of an approved change: what it replaced, measured, and whether it still stands. */
import { z } from "zod";
import { armReport } from "../bakeoff/analysis/arm-report.ts";
import { SWAP_DIRECTIONS } from "../proposal/direction.ts";
import { ID_PATTERN } from "../route/identifier.ts";

/** The incumbent as it was measured when it was replaced; savings are counted against it. Never changed afterwards. */
const swapBaseline = z.object({
  bakeoff: z.string(),
  measured_at: z.iso.datetime(),
  route_hash: z.string(),
  incumbent: armReport,
});

const base = {
  id: z.string(),
  proposal: z.string(),
  route: z.string().regex(ID_PATTERN),
  variant: z.string().regex(ID_PATTERN),
  direction: z.enum(SWAP_DIRECTIONS),
  baseline: swapBaseline,
  /** Path of the route file in the repository, and the change of it. */
  path: z.string().max(512),
  patch: z.string().max(512_000),
  executed_at: z.iso.datetime(),
  executed_by: z.string(),
};

export const swap = z.discriminatedUnion("state", [
  z.object({ ...base, state: z.literal("executed") }),
  z.object({ ...base, state: z.literal("reverted"), reverted_at: z.iso.datetime(), reverted_by: z.string() }),
]);

export type Swap = z.infer<typeof swap>;
export type SwapBaseline = z.infer<typeof swapBaseline>;
