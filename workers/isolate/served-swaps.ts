import { DEFAULT_VARIANT, type NarrowedRoute, narrow } from "../../src/route/narrow.ts";
import { settleSwaps } from "../../src/swap/settle.ts";
import type { Background, Runtime } from "../runtime.ts";

/** Who notes in the audit log what the gateway serves. */
const GATEWAY_ACTOR = "gateway";

/** Marks an org's approved swaps that this gateway serves by now, and abandons those unseen for too long. */
export async function settleOrgSwaps(
  runtime: Pick<Runtime, "routes" | "liveVariant" | "openStore" | "now">,
  org: string,
  background: Background,
): Promise<number> {
  const servedAs = async (name: string): Promise<NarrowedRoute | undefined> => {
    const route = runtime.routes.get(name);
    if (!route) return undefined;
    const pinned = narrow(route, (await runtime.liveVariant(org, name, background)) ?? DEFAULT_VARIANT);
    // A pin to a variant that a later deploy removed serves the route as declared.
    const served = pinned.ok ? pinned : narrow(route, DEFAULT_VARIANT);
    return served.ok ? served.value : undefined;
  };
  const { swaps } = (await runtime.openStore()).forOrg(org);
  return await settleSwaps(swaps, servedAs, { by: GATEWAY_ACTOR, at: runtime.now() });
}

/** The same for every org; of an org whose swaps cannot be read, the next reader or the hourly upkeep looks again. */
export async function settleAllSwaps(runtime: Runtime, background: Background): Promise<void> {
  for (const { id } of await (await runtime.openStore()).orgs.list()) await settleOrgSwaps(runtime, id, background);
}
