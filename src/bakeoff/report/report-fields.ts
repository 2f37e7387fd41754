/** Fields that several parts of a report share. */
import { z } from "zod";
import { ID_PATTERN } from "../../route/identifier.ts";
import { RUNGS } from "../../route/route.ts";

export const name = z.string().regex(ID_PATTERN);
/** Arms in one bake-off. */
export const MOST_ARMS = 64;

export const count = z.number().int().nonnegative();
/** Exact decimal text of dollars, nine places. */
export const spentUsdText = z.string().regex(/^-?\d{1,9}\.\d{9}$/);
export const fraction = z.number().min(0).max(1);
/** A difference of two scores from 0 to 1. */
export const difference = z.number().min(-1).max(1);
export const rung = z.enum([...RUNGS, "none"]);
