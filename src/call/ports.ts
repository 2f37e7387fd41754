/** What the engine needs from its host. The Worker, the CLI and the tests each provide it. */
import type { BreakerOutcome } from "../breaker/breaker.ts";
import type { ReserveRequest, ReserveResult } from "../envelope/envelope.ts";
import type { NanoUsd } from "../money/nano-usd.ts";
import type { PriceBook } from "../money/price.ts";
import type { ProviderTable } from "../provider/provider.ts";
import type { Registry } from "../registry/capability.ts";
import type { Inference } from "./inference.ts";
import type { Clock } from "./time/clock.ts";

export type Admission =
  | { readonly admitted: true; readonly probeId?: string | undefined }
  | { readonly admitted: false; readonly retryAfterMs: number };

/** `subject` is `{ route, candidate, provider }`; the host maps it to its objects. */
export interface BreakerSubject {
  /** Route name, or the lane for calls outside a route (`raw`). */
  readonly route: string;
  readonly candidate: string;
  readonly provider: string;
}

export interface BreakerPort {
  /** Decides from the isolate's snapshot; returns a promise only where a probe must be claimed. */
  admit(subject: BreakerSubject): Admission | Promise<Admission>;
  /** Returns at once; the host reports in the background. */
  report(
    subject: BreakerSubject,
    outcome: BreakerOutcome,
    details: {
      readonly retryAfterMs?: number | undefined;
      readonly probeId?: string | undefined;
      readonly trip?: boolean | undefined;
    },
  ): void;
}

export interface EnvelopePort {
  /**
   * Reserves all claims or none. Returns `"unreachable"` when the host cannot reach its envelopes: the call is then
   * refused.
   */
  reserve(request: ReserveRequest): Promise<ReserveResult | "unreachable">;
  /** Books the actual cost in the background. Without a known cost the whole reservation counts as spent. */
  settle(reservationId: string, actual: NanoUsd | undefined): void;
  /** Releases the whole reservation, because nothing was sent upstream. */
  release(reservationId: string): void;
}

export interface Recorder {
  /** Returns at once; the host delivers after the response, exactly once per inference id. */
  record(inference: Inference): void;
}

export interface CallPorts {
  readonly fetch: (url: string, init: RequestInit) => Promise<Response>;
  readonly clock: Clock;
  /** Uniform in [0, 1). */
  readonly random: () => number;
  readonly newId: (prefix: string) => string;
  readonly providers: ProviderTable;
  readonly registry: Registry;
  readonly prices: PriceBook;
  readonly breakers: BreakerPort;
  readonly envelopes: EnvelopePort;
  readonly recorder: Recorder;
  /** Returns the value of a named secret, or undefined where it is not set. */
  readonly secret: (name: string) => string | undefined;
  /** True when the simulated provider may serve. */
  readonly sim: boolean;
}
