/** What models were measured to do: by this machine, and by everyone whose probes the gateway knows. */
import type { GatewayClient } from "../../api/client.ts";
import { getRegistry } from "../../api/org.ts";
import type { Registry } from "../../registry/capability.ts";
import { fromRow, type ProbedRow, registryOf } from "../../registry/record.ts";
import { reasonOf, type Warnings } from "../warnings.ts";

/** Measurements change by the day. */
const TTL_MS = 300_000;
const TIMEOUT_MS = 5_000;

interface SharedRegistry extends Registry {
  /** Asks the gateway anew. Never rejects: where it does not answer, what was known before holds. */
  refresh(): Promise<void>;
}

/**
 * The newest measurement of each capability, the gateway's and this machine's together. Lookups are synchronous and go by
 * what is known; from five minutes after the last answer on, one asks the gateway beside it.
 */
export function sharedRegistry(
  local: readonly ProbedRow[],
  gateway: GatewayClient | undefined,
  now: () => number,
  warn: Warnings,
): SharedRegistry {
  let known = registryOf(local);
  let askedAt = Number.NEGATIVE_INFINITY;
  const refresh = async (): Promise<void> => {
    if (!gateway) return;
    askedAt = now();
    const answer = await gateway.call(getRegistry, { timeoutMs: TIMEOUT_MS });
    if (answer.type === "answer") known = registryOf([...local, ...answer.value.capabilities.map(fromRow)]);
    else warn.once("registry", `measured capabilities are this machine's own: ${whyNot(answer)}`);
  };
  return {
    find(provider, model) {
      if (now() - askedAt >= TTL_MS) void refresh();
      return known.find(provider, model);
    },
    refresh,
  };
}

function whyNot(answer: Exclude<Awaited<ReturnType<GatewayClient["call"]>>, { type: "answer" }>): string {
  if (answer.type === "refusal") return `the gateway answered ${answer.status} (${answer.error.message})`;
  return `the gateway's registry could not be read (${reasonOf(answer.cause)})`;
}
