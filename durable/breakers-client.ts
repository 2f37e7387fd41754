/**
 * The engine's breaker port over an org's `RouteBreaker` objects. Calls are admitted from the isolate's snapshot; the
 * object is asked only which call may probe, and receives reports in the background. An object that cannot be reached
 * counts as closed.
 */
import { proxyDurable } from "itty-durable";
import { decide } from "../src/breaker/admission.ts";
import type { BreakerOutcome, BreakerSnapshot } from "../src/breaker/breaker.ts";
import type { Admission, BreakerPort, BreakerSubject } from "../src/call/ports.ts";
import type { Clock } from "../src/call/time/clock.ts";
import type { BreakerCache, CachedBreakers } from "./breaker-cache.ts";
import { toHeaderArgument } from "./header-args.ts";
import { withDeadline } from "./remote.ts";
import type { BreakerReport, ClaimReply, KeyedClaim, KeyedReports } from "./route-breaker.ts";

/** The caller waits for a claim; after this many milliseconds the breaker counts as closed. */
const CLAIM_DEADLINE_MS = 1_000;
const BACKGROUND_DEADLINE_MS = 10_000;

interface BreakerObject {
  snapshot(): Promise<BreakerSnapshot>;
  claim(argument: string): Promise<ClaimReply>;
  report(argument: string): Promise<BreakerSnapshot>;
}

/** One of the breakers that an object keeps. */
interface Target {
  readonly level: "route" | "provider";
  readonly object: string;
  readonly key: string;
}

type ReportDetails = Parameters<BreakerPort["report"]>[2];

export function breakerPort(
  namespace: DurableObjectNamespace,
  org: string,
  cache: BreakerCache,
  background: (work: Promise<unknown>) => void,
  clock: Pick<Clock, "now">,
): BreakerPort {
  const objects = proxyDurable(namespace, { parse: true });
  const object = (name: string): BreakerObject => objects.get(name);
  const prefix = `org:${encodeURIComponent(org)}`;
  const routeTarget = ({ route, candidate }: BreakerSubject): Target => {
    return { level: "route", object: `${prefix}:route:${encodeURIComponent(route)}`, key: candidate };
  };
  const providerTarget = ({ provider }: BreakerSubject): Target => {
    return { level: "provider", object: `${prefix}:providers`, key: provider };
  };

  /** A snapshot that is late or lost does no harm: the next stale read fetches it again. */
  const learn = (entry: CachedBreakers, ask: () => Promise<BreakerSnapshot>): void => {
    // Async, so that a binding which throws synchronously does not fail the call.
    const answer = (async () => await ask())();
    const applied = withDeadline(BACKGROUND_DEADLINE_MS, answer).then(
      (snapshot) => entry.apply(snapshot, clock.now()),
      () => undefined,
    );
    background(applied);
  };

  const look = (target: Target) => {
    const entry = cache.get(target.object);
    if (entry.startsRefresh(clock.now())) learn(entry, () => object(target.object).snapshot());
    return entry.snapshot ? decide(entry.snapshot, target.key, clock.now()) : ({ type: "admit" } as const);
  };

  const send = (target: Target, reports: readonly BreakerReport[]): void => {
    const argument = toHeaderArgument({ key: target.key, reports } satisfies KeyedReports);
    learn(cache.get(target.object), () => object(target.object).report(argument));
  };

  const claim = async (target: Target, probeId: string): Promise<ClaimReply["answer"]> => {
    const argument = toHeaderArgument({ key: target.key, probeId } satisfies KeyedClaim);
    try {
      const reply = await withDeadline(CLAIM_DEADLINE_MS, object(target.object).claim(argument));
      cache.get(target.object).apply(reply.snapshot, clock.now());
      return reply.answer;
    } catch {
      // The object may have granted the claim, so the result is reported as a probe's.
      return { admitted: true, probe: true };
    }
  };

  /** The provider comes first: while its account is refused, a probe of the candidate would show nothing. */
  const claimAll = async (targets: readonly Target[]): Promise<Admission> => {
    const id = crypto.randomUUID();
    const held: Target[] = [];
    for (const target of targets) {
      const answer = await claim(target, id);
      if (!answer.admitted) {
        for (const other of held) send(other, [{ type: "report", outcome: "neutral", probeId: id }]);
        return { admitted: false, retryAfterMs: answer.retryAfterMs };
      }
      if (answer.probe) held.push(target);
    }
    return { admitted: true, probeId: held.length === 0 ? undefined : probeIdFor(held, id) };
  };

  return {
    admit(subject) {
      const targets = [providerTarget(subject), routeTarget(subject)];
      const decisions = targets.map((target) => ({ target, ...look(target) }));
      const waits = decisions.flatMap((decision) => (decision.type === "refuse" ? [decision.retryAfterMs] : []));
      if (waits.length > 0) return { admitted: false, retryAfterMs: Math.max(...waits) };
      const due = decisions.filter((decision) => decision.type === "claim");
      return due.length === 0 ? { admitted: true } : claimAll(due.map((decision) => decision.target));
    },

    report(subject, outcome, details) {
      const route = routeTarget(subject);
      const routeReports = reportsOfRoute(cache.get(route.object), route.key, outcome, details, clock.now());
      if (routeReports.length > 0) send(route, routeReports);
      const providerReports = reportsOfProvider(outcome, details);
      if (providerReports.length > 0) send(providerTarget(subject), providerReports);
    },
  };
}

/** Returns the event for the candidate's own breaker. A refused account concerns the provider, not the candidate. */
function reportsOfRoute(
  entry: CachedBreakers,
  key: string,
  outcome: BreakerOutcome,
  details: ReportDetails,
  now: number,
): BreakerReport[] {
  const probeId = probeIdOf(details.probeId, "route");
  const effect = details.trip === true ? "neutral" : outcome;
  if (probeId !== undefined) {
    return [{ type: "report", outcome: effect, probeId, retryAfterMs: details.retryAfterMs }];
  }
  if (effect === "neutral") return [];
  if (effect === "success") return successes(entry.tallySuccess(key, now));
  return [
    ...successes(entry.tallyFailure(key, now)),
    { type: "report", outcome: "failure", retryAfterMs: details.retryAfterMs },
  ];
}

/** Returns the event for the provider's breaker: refusals of the account, and the result of a probe after one. */
function reportsOfProvider(outcome: BreakerOutcome, details: ReportDetails): BreakerReport[] {
  const probeId = probeIdOf(details.probeId, "provider");
  if (details.trip === true) {
    return [{ type: "report", outcome: "failure", trip: true, probeId, retryAfterMs: details.retryAfterMs }];
  }
  if (probeId === undefined) return [];
  // A failure of the infrastructure does not concern the account; the candidate's breaker counts it.
  return [{ type: "report", outcome: outcome === "success" ? "success" : "neutral", probeId }];
}

function successes(count: number): BreakerReport[] {
  return count === 0 ? [] : [{ type: "report", outcome: "success", count }];
}

/**
 * Both objects know a probe by one id; the port's id also contains which of them granted it, e.g.
 * `provider+route/<id>`.
 */
function probeIdFor(held: readonly Target[], id: string): string {
  return `${held.map((target) => target.level).join("+")}/${id}`;
}

function probeIdOf(probeId: string | undefined, level: Target["level"]): string | undefined {
  const [levels = "", id] = probeId?.split("/") ?? [];
  return levels.split("+").includes(level) ? id : undefined;
}
