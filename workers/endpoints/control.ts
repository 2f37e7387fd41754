/** What the endpoints of bake-offs, proposals and swaps share. */
import { z } from "@hono/zod-openapi";
import { uuidv7 } from "uuidv7";
import type { Principal } from "../../src/identity/principal.ts";
import type { Actor } from "../../src/proposal/file.ts";
import { ID_PATTERN } from "../../src/route/identifier.ts";
import type { Runtime } from "../runtime.ts";
import { parseParams } from "./listing.ts";

export function actorOf(runtime: Runtime, principal: Principal): Actor {
  return { by: principal.keyId, at: runtime.now() };
}

export function prefixedId(prefix: string): string {
  return `${prefix}_${uuidv7()}`;
}

const query = z.object({
  route: z.string().regex(ID_PATTERN).optional(),
  limit: z.coerce.number().int().min(1).max(200).default(50),
});

/** `?route=&limit=` of a list, newest first; at most 200. */
export function listQuery(raw: Readonly<Record<string, string>>): z.output<typeof query> {
  return parseParams(query, raw);
}
