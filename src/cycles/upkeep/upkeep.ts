/** The hourly upkeep. Every task may be cut short, run twice, or run by two at once; what is left is done next time. */

import type { ReservationCursor } from "../../envelope/tables.ts";
import type { AuditStamp } from "../../identity/audit-stamp.ts";
import { WorkBudget } from "./budget.ts";
import { type OrgUpkeep, UPKEEP_ACTOR, type UpkeepPorts } from "./ports.ts";

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;

interface UpkeepLimits {
  /** How long a run may take. A cron may run for 15 minutes. */
  readonly patienceMs: number;
  /** Round trips of one run over all orgs. A Worker may make 1 000 requests per invocation. */
  readonly steps: number;
}

const UPKEEP_LIMITS: UpkeepLimits = { patienceMs: 10 * 60_000, steps: 800 };

/** Most records of an hour arrive while it lasts or soon after; one that is later marks it again. */
const SETTLING_MS = 5 * 60_000;
const RESERVATIONS_PER_PAGE = 1_000;
const HOURS_PER_PAGE = 200;
/** Rows moved in one transaction: well below what a writer waits for. */
const ROWS_PER_MOVE = 2_000;
const ARTIFACTS_PER_MOVE = 500;
const RESPONSES_PER_DELETE = 500;
/** An org whose hours keep failing is left alone until the next run. */
const MOST_FAILED_HOURS = 3;

/** What a run did, over all orgs. */
interface UpkeepSummary {
  proposalsExpired: number;
  swapsSettled: number;
  envelopesReconciled: number;
  hoursRolledUp: number;
  inferencesMoved: number;
  artifactsForgotten: number;
  responsesExpired: number;
  problems: number;
}

interface Task {
  readonly org: OrgUpkeep;
  readonly budget: WorkBudget;
  readonly now: number;
  readonly stamp: AuditStamp;
  readonly done: UpkeepSummary;
  /** Counts and passes on a failure that need not end the task. */
  readonly failed: (error: unknown) => void;
}

/** In this order: sums are made before raw rows may go. */
const TASKS: Readonly<Record<string, (task: Task) => Promise<void>>> = {
  "expire proposals": expireProposals,
  "expire responses": expireResponses,
  "settle swaps": settleSwaps,
  "reconcile envelopes": reconcileEnvelopes,
  "roll up": rollUp,
  retention,
};

/** Runs every task for every org within the limits. A task or an org that fails keeps no other from its turn. */
export async function runUpkeep(ports: UpkeepPorts, limits: UpkeepLimits = UPKEEP_LIMITS): Promise<UpkeepSummary> {
  const now = ports.now();
  const budget = new WorkBudget(ports.now, now + limits.patienceMs, limits.steps);
  const done: UpkeepSummary = {
    proposalsExpired: 0,
    swapsSettled: 0,
    envelopesReconciled: 0,
    hoursRolledUp: 0,
    inferencesMoved: 0,
    artifactsForgotten: 0,
    responsesExpired: 0,
    problems: 0,
  };
  let waiting = inTurn(await ports.orgs(), now);
  // Those whose share was too small get a share of what the others left.
  while (waiting.length > 0 && !budget.spent) {
    const cutShort: string[] = [];
    for (const [index, id] of waiting.entries()) {
      const share = budget.share(waiting.length - index);
      await runTasks(ports, id, share, { now, done });
      if (share.spent) cutShort.push(id);
      budget.giveBack(share);
    }
    waiting = cutShort;
  }
  return done;
}

async function runTasks(
  ports: UpkeepPorts,
  id: string,
  budget: WorkBudget,
  { now, done }: Pick<Task, "now" | "done">,
): Promise<void> {
  for (const [name, work] of Object.entries(TASKS)) {
    const failed = (error: unknown): void => {
      done.problems += 1;
      ports.report({ org: id, task: name, error });
    };
    try {
      await work({ org: ports.forOrg(id), budget, now, stamp: { by: UPKEEP_ACTOR, at: now }, done, failed });
    } catch (error) {
      failed(error);
    }
  }
}

/** Another org is first every hour, so that none is always the one for whom nothing is left. */
function inTurn(orgs: readonly string[], now: number): readonly string[] {
  const first = Math.floor(now / HOUR_MS) % Math.max(1, orgs.length);
  return [...orgs.slice(first), ...orgs.slice(0, first)];
}

async function expireProposals({ org, budget, stamp, done }: Task): Promise<void> {
  if (budget.take()) done.proposalsExpired += await org.expireProposals(stamp);
}

/** Text is deleted on time, whatever else there is to do. */
async function expireResponses({ org, budget, now, done }: Task): Promise<void> {
  while (budget.take()) {
    const expired = await org.expireResponses(now, RESPONSES_PER_DELETE);
    done.responsesExpired += expired;
    if (expired < RESPONSES_PER_DELETE) return;
  }
}

async function settleSwaps({ org, budget, done }: Task): Promise<void> {
  if (budget.take()) done.swapsSettled += await org.settleSwaps();
}

/** Replaces what expired reservations were assumed to cost by what telemetry says they did. */
async function reconcileEnvelopes({ org, budget, done }: Task): Promise<void> {
  let after: ReservationCursor | undefined;
  while (budget.take()) {
    const open = await org.unreconciled(RESERVATIONS_PER_PAGE, after);
    after = open.at(-1);
    if (after === undefined || !budget.take()) return;
    const costs = await org.attemptCosts(open.map(({ reservationId }) => reservationId));
    const bills = [...costs].flatMap(([reservationId, actual]) =>
      actual === undefined ? [] : [{ reservationId, actual }],
    );
    if (bills.length > 0) {
      if (!budget.take()) return;
      done.envelopesReconciled += await org.reconcile(bills);
    }
    if (open.length < RESERVATIONS_PER_PAGE) return;
  }
}

async function rollUp({ org, budget, now, done, failed }: Task): Promise<void> {
  let failures = 0;
  while (budget.take()) {
    const hours = await org.staleHours(now - SETTLING_MS, HOURS_PER_PAGE);
    for (const hour of hours) {
      if (!budget.take()) return;
      try {
        await org.rollUp(hour);
        done.hoursRolledUp += 1;
      } catch (error) {
        failed(error);
        failures += 1;
        if (failures === MOST_FAILED_HOURS) return;
      }
    }
    // A page with a failed hour would come again with that hour in it.
    if (hours.length < HOURS_PER_PAGE || failures > 0) return;
  }
}

/** Also without a limit of its own an org may have rows before its mark: late ones, or what an interrupted run left. */
async function retention(task: Task): Promise<void> {
  const { org, budget, now, done, stamp } = task;
  if (!(await moveAllRaw(task)) || !budget.take()) return;
  const days = await org.retentionDays();
  if (days === undefined) return;
  const horizon = now - days * DAY_MS;
  while (budget.take() && (await org.advanceRetention(horizon))) {
    if (!(await moveAllRaw(task))) return;
  }
  while (budget.take()) {
    const forgotten = await org.forgetArtifacts(horizon, ARTIFACTS_PER_MOVE, stamp);
    done.artifactsForgotten += forgotten;
    if (forgotten < ARTIFACTS_PER_MOVE) return;
  }
}

/** False where the budget ended first. */
async function moveAllRaw({ org, budget, stamp, done }: Task): Promise<boolean> {
  while (budget.take()) {
    const moved = await org.moveRaw(ROWS_PER_MOVE, stamp);
    done.inferencesMoved += moved;
    if (moved < ROWS_PER_MOVE) return true;
  }
  return false;
}
