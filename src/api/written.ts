/** What an endpoint that stores something answers. */
import { z } from "zod";

/** `stored`: it is in the database now. `duplicate`: it was there, and what was said first stands. */
export const writeStatus = z.enum(["stored", "duplicate"]);

export const DUPLICATE = "It was said before; what was said first stands";
/** Whoever may only write learns nothing of what others wrote under the same id. */
export const READERS = "Only for a key that may also read";

export function storedOrDuplicate<Body extends z.ZodType>(json: Body) {
  return { 200: { description: DUPLICATE, json }, 201: { description: "Stored", json } };
}
