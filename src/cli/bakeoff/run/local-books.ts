/** The envelopes of a bake-off on this machine: its own in memory and in its journal, the judge's day in a shared file. */
import { join } from "node:path";
import { endText, intentText, JUDGE_BOOKS } from "../../../bakeoff/execution/journal.ts";
import { armEnvelopes } from "../../../bakeoff/plan/bakeoff-envelopes.ts";
import type { BakeoffPlan } from "../../../bakeoff/plan/bakeoff-plan.ts";
import type { EnvelopePort } from "../../../call/ports.ts";
import type { ReserveRequest } from "../../../envelope/envelope.ts";
import { type LocalEnvelopes, openLocalEnvelopes } from "../../../localdb/local-envelopes.ts";
import { addUsd, type NanoUsd, nanoUsd, ZERO_USD } from "../../../money/nano-usd.ts";
import { stateFolder } from "../../../workspace/state-folder.ts";
import { type ReplayLedger, replayLedger } from "../../replay-ledger.ts";

interface Books {
  readonly envelopes: EnvelopePort;
  /** What is booked for an arm, or with no name for the judge: bills, and the bounds of those that are unknown. */
  readonly spentBy: (arm: string) => NanoUsd;
  readonly close: () => void;
}

/** What the judge of this bake-off spends is counted under this id; what limits it is its day. */
const JUDGE_ID = "judge";
const NO_LIMIT = nanoUsd(Number.MAX_SAFE_INTEGER);

/** `before` is what the journal of an interrupted run has booked, by arm and for the judge. */
export function openBooks(
  cwd: string,
  plan: BakeoffPlan,
  before: ReadonlyMap<string, NanoUsd>,
  append: (line: string) => void,
): Books {
  const ids = new Map(plan.arms.map((arm) => [arm.name, armEnvelopes(plan.id, arm, plan)[0]?.id ?? arm.name]));
  const opening = new Map<string, NanoUsd>();
  for (const [name, spent] of before) opening.set(name === JUDGE_BOOKS ? JUDGE_ID : (ids.get(name) ?? name), spent);
  opening.set(`replay-pass:${plan.id}`, addUsd(...before.values()));
  const ledger = replayLedger(Date.now, opening);
  const names = new Map([...ids].map(([name, envelope]) => [envelope, name]));
  const armOf = ({ claims }: ReserveRequest): string => {
    const own = claims.find(({ id }) => names.has(id));
    return own === undefined ? JUDGE_BOOKS : (names.get(own.id) ?? JUDGE_BOOKS);
  };
  const day = judgeDay(join(stateFolder(cwd), "envelopes.db"), ledger);
  return {
    envelopes: journaled(day, armOf, append),
    spentBy: (arm) => ledger.spent(arm === JUDGE_BOOKS ? JUDGE_ID : (ids.get(arm) ?? arm)),
    close: day.close,
  };
}

/** Writes down what a request can cost before it is sent, and what it came to: a run that is killed paid for the rest. */
function journaled(
  books: EnvelopePort,
  armOf: (request: ReserveRequest) => string,
  append: (line: string) => void,
): EnvelopePort {
  const most = new Map<string, NanoUsd>();
  const end = (id: string, booked: NanoUsd): void => {
    if (most.delete(id)) append(endText(id, booked));
  };
  return {
    async reserve(request) {
      const held = await books.reserve(request);
      if (held === "unreachable" || !held.granted) return held;
      most.set(request.reservationId, request.worstCase);
      append(intentText(request.reservationId, armOf(request), request.worstCase));
      return held;
    },
    settle(id, actual) {
      books.settle(id, actual);
      end(id, actual ?? most.get(id) ?? ZERO_USD);
    },
    release(id) {
      books.release(id);
      end(id, ZERO_USD);
    },
  };
}

/** A claim on a day holds across bake-offs and processes, so it is booked where they all see it. */
function judgeDay(file: string, ledger: ReplayLedger): EnvelopePort & { readonly close: () => void } {
  let shared: LocalEnvelopes | undefined;
  const booked = new Set<string>();
  const books = (): LocalEnvelopes => {
    shared ??= openLocalEnvelopes(file, Date.now);
    return shared;
  };
  return {
    async reserve(request) {
      const daily = request.claims.filter(({ scope }) => scope === "judge-day");
      const others = request.claims.filter(({ scope }) => scope !== "judge-day");
      if (daily.length === 0) return ledger.reserve(request);
      const counted = { scope: "judge-day", id: JUDGE_ID, limit: NO_LIMIT } as const;
      const own = await ledger.reserve({ ...request, claims: [...others, counted] });
      if (own === "unreachable" || !own.granted) return own;
      try {
        const today = books().reserve({ ...request, claims: daily });
        if (today.granted) booked.add(request.reservationId);
        else ledger.release(request.reservationId);
        return today;
      } catch {
        // The file cannot be read or written: what cannot be booked is not sent.
        ledger.release(request.reservationId);
        return "unreachable";
      }
    },
    settle(id, actual) {
      ledger.settle(id, actual);
      if (booked.delete(id)) books().settle(id, actual);
    },
    release(id) {
      ledger.release(id);
      if (booked.delete(id)) books().release(id);
    },
    close() {
      shared?.close();
      shared = undefined;
    },
  };
}
