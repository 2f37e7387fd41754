/** The record of an approved change: what it replaced, measured, what was promised, and whether the gateway serves it. */
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

/** The route as the patch leaves it. */
export const swapPromise = z.object({
  route_hash: z.string().regex(/^[0-9a-f]{64}$/),
  /** Digest of what the route then serves, as `servedDigest` makes it: a description may still change. */
  serves: z.string().regex(/^[0-9a-f]{32}$/),
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
  /** Null for swaps recorded before promises were kept. */
  promised: swapPromise.nullable(),
  approved_at: z.iso.datetime(),
  approved_by: z.string(),
};

/** A field exists only in the states that have it. */
export const swap = z.discriminatedUnion("state", [
  z.object({ ...base, state: z.literal("approved") }),
  z.object({ ...base, state: z.literal("serving"), serving_since: z.iso.datetime() }),
  z.object({
    ...base,
    state: z.literal("reverted"),
    /** Absent where it was never served. */
    serving_since: z.iso.datetime().optional(),
    reverted_at: z.iso.datetime(),
    reverted_by: z.string(),
  }),
  z.object({ ...base, state: z.literal("abandoned"), abandoned_at: z.iso.datetime() }),
]);

export type Swap = z.infer<typeof swap>;
export type SwapState = Swap["state"];
export type SwapBaseline = z.infer<typeof swapBaseline>;
export type SwapPromise = z.infer<typeof swapPromise>;
