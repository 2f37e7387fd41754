/**
 * The breakers of one route of one org, keyed by candidate, or those of all its providers, keyed by provider. Applies
 * the rule of `src/breaker` to stored state, one event at a time.
 */
import { createDurable } from "itty-durable";
import { answerClaim, type ClaimAnswer } from "../src/breaker/admission.ts";
import { type BreakerEvent, type BreakerSnapshot, DEFAULT_BREAKER_SETTINGS } from "../src/breaker/breaker.ts";
import { applyEvent, type Breakers, breakerOf } from "../src/breaker/breakers.ts";
import { snapshotOf } from "../src/breaker/snapshot.ts";
import { fromHeaderArgument } from "./header-args.ts";

export type BreakerReport = Extract<BreakerEvent, { type: "report" }>;

export interface KeyedClaim {
  readonly key: string;
  readonly probeId: string;
}

export interface KeyedReports {
  readonly key: string;
  /** In the order in which they count. */
  readonly reports: readonly BreakerReport[];
}

export interface ClaimReply {
  readonly answer: ClaimAnswer;
  readonly snapshot: BreakerSnapshot;
}

/** Called through `proxyDurable` only: itty-durable's methods are not native RPC. */
export class RouteBreaker extends createDurable() {
  // itty-durable stores an object's own properties, which are these two.
  version = 0;
  breakers: Breakers = {};

  snapshot(): BreakerSnapshot {
    return snapshotOf(this.breakers, this.version, Date.now(), DEFAULT_BREAKER_SETTINGS);
  }

  /** `argument` is a `KeyedClaim` made by `toHeaderArgument`. */
  async claim(argument: string): Promise<ClaimReply> {
    const { key, probeId } = fromHeaderArgument<KeyedClaim>(argument);
    await this.applyAll(key, [{ type: "claim", probeId }]);
    const now = Date.now();
    return { answer: answerClaim(breakerOf(this.breakers, key, now), probeId, now), snapshot: this.snapshot() };
  }

  /** `argument` is a `KeyedReports` made by `toHeaderArgument`. Returns the snapshot after these reports. */
  async report(argument: string): Promise<BreakerSnapshot> {
    const { key, reports } = fromHeaderArgument<KeyedReports>(argument);
    await this.applyAll(key, reports);
    return this.snapshot();
  }

  async applyAll(key: string, events: readonly BreakerEvent[]): Promise<void> {
    const before = this.breakers;
    for (const event of events) {
      this.breakers = applyEvent(this.breakers, key, event, Date.now(), DEFAULT_BREAKER_SETTINGS, Math.random);
    }
    if (this.breakers === before) return;
    this.version += 1;
    await this.persist();
  }
}
