import { z } from "zod";

/** The last moment whose year has four digits: what ISO 8601 and the database's own dates can say. */
export const LAST_INSTANT = 253_402_300_799_999;

/** Epoch milliseconds. One that no date can say would break every list that shows it. */
export const instant = z.int().nonnegative().max(LAST_INSTANT);
