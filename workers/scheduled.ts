import type { Store } from "../src/store/store.ts";
import type { Env } from "./bindings.ts";
import { runtimeOf } from "./compose.ts";
import { cycleOf } from "./cycles.ts";
import { logError } from "./log.ts";

/** Reservations of one org looked at in one run; what is left waits for the next hour. */
const RECONCILED_PER_ORG = 1_000;

/** Runs the cycle a cron stands for. Crons fire at least once, so every cycle may be run again. */
export async function runScheduled(cron: string, env: Env): Promise<void> {
  switch (cycleOf(cron)) {
    case "upkeep":
      await reconcileEnvelopes(env, runtimeOf(env).store());
      return;
    case undefined:
      logError("a cron without a cycle", undefined, { cron });
  }
}

/** Replaces what expired reservations were assumed to cost by what telemetry says they did. */
async function reconcileEnvelopes(env: Env, store: Store): Promise<void> {
  for (const org of await store.orgs.list()) {
    try {
      const envelopes = env.SPEND_ENVELOPES.getByName(org.id);
      const open = await envelopes.unreconciled(RECONCILED_PER_ORG);
      if (open.length === 0) continue;
      const costs = await store.forOrg(org.id).inferences.attemptCosts(open.map(({ reservationId }) => reservationId));
      const bills = [...costs].flatMap(([reservationId, actual]) =>
        actual === undefined ? [] : [{ reservationId, actual }],
      );
      await envelopes.reconcile(bills);
    } catch (error) {
      // One org's object that cannot be reached must not keep the others waiting.
      logError("envelopes not reconciled", error, { org: org.id });
    }
  }
}
