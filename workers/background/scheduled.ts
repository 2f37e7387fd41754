import type { UpkeepPorts } from "../../src/cycles/upkeep/ports.ts";
import { runUpkeep } from "../../src/cycles/upkeep/upkeep.ts";
import type { Store } from "../../src/store/store.ts";
import type { Env } from "../bindings.ts";
import { runtimeOf } from "../compose.ts";
import { settleOrgSwaps } from "../isolate/served-swaps.ts";
import { logError } from "../log.ts";
import type { Runtime } from "../runtime.ts";
import { cycleOf } from "./cycles.ts";

/** Runs the cycle a cron stands for. Crons fire at least once, so every cycle may be run again. */
export async function runScheduled(cron: string, env: Env): Promise<void> {
  const runtime = runtimeOf(env);
  switch (cycleOf(cron)) {
    case "upkeep":
      await runUpkeep(upkeepPorts(env, await runtime.openStore(), runtime));
      return;
    case undefined:
      logError("a cron without a cycle", undefined, { cron });
  }
}

function upkeepPorts(env: Env, store: Store, runtime: Runtime): UpkeepPorts {
  return {
    now: runtime.now,
    orgs: async () => (await store.orgs.list()).map(({ id }) => id),
    report: ({ org, task, error }) => logError(`upkeep: ${task} failed`, error, { org }),
    forOrg: (org) => {
      const { inferences, proposals, responses, retention, rollups, settings } = store.forOrg(org);
      // A stub is unusable after it threw, so each message takes a fresh one; making one is free.
      const envelopes = () => env.SPEND_ENVELOPES.getByName(org);
      return {
        expireProposals: (stamp) => proposals.expire(stamp),
        settleSwaps: () => settleOrgSwaps(runtime, org, () => undefined),
        unreconciled: (limit, after) => envelopes().unreconciled(limit, after),
        attemptCosts: (ids) => inferences.attemptCosts(ids),
        reconcile: (bills) => envelopes().reconcile(bills),
        staleHours: (endedBy, limit) => rollups.staleHours(endedBy, limit),
        rollUp: (hour) => rollups.rollUp(hour),
        retentionDays: async () => (await settings.get()).retentionDays,
        advanceRetention: (horizon) => retention.advance(horizon),
        moveRaw: (limit, stamp) => retention.moveRaw(limit, stamp),
        expireResponses: (now, limit) => responses.expire(now, limit),
        forgetArtifacts: (horizon, limit, stamp) => retention.forgetArtifacts(horizon, limit, stamp),
      };
    },
  };
}
