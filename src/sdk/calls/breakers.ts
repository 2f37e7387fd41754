/** Breakers of one process, by the rule of the gateway's: per route and candidate, and per provider for a refused account. */
import { answerClaim } from "../../breaker/admission.ts";
import { type BreakerEvent, type BreakerOutcome, DEFAULT_BREAKER_SETTINGS } from "../../breaker/breaker.ts";
import { applyEvent, type Breakers, breakerOf } from "../../breaker/breakers.ts";
import { retryAtOf } from "../../breaker/snapshot.ts";
import type { BreakerPort, BreakerSubject, CallPorts } from "../../call/ports.ts";

type Level = "provider" | "candidate";
type Details = Parameters<BreakerPort["report"]>[2];

export function processBreakers({ clock, random, newId }: Pick<CallPorts, "clock" | "random" | "newId">): BreakerPort {
  const kept: Record<Level, Breakers> = { provider: {}, candidate: {} };
  const keyOf = (level: Level, { route, candidate, provider }: BreakerSubject): string =>
    level === "provider" ? provider : `${route}\n${candidate}`;
  const apply = (level: Level, key: string, event: BreakerEvent): void => {
    kept[level] = applyEvent(kept[level], key, event, clock.now(), DEFAULT_BREAKER_SETTINGS, random);
  };
  /** Milliseconds until it may be asked again; 0 = a probe is due; undefined = it is closed. */
  const wait = (level: Level, key: string): number | undefined => {
    const state = breakerOf(kept[level], key, clock.now());
    return state.status === "closed" ? undefined : Math.max(0, retryAtOf(state, clock.now()) - clock.now());
  };

  return {
    admit(subject) {
      // Provider first: while its account is refused, a probe of the candidate would learn nothing.
      const due: { readonly level: Level; readonly key: string }[] = [];
      let longest = 0;
      for (const level of ["provider", "candidate"] as const) {
        const key = keyOf(level, subject);
        const ms = wait(level, key);
        if (ms === 0) due.push({ level, key });
        else longest = Math.max(longest, ms ?? 0);
      }
      if (longest > 0) return { admitted: false, retryAfterMs: longest };
      if (due.length === 0) return { admitted: true };
      const id = newId("probe");
      for (const { level, key } of due) {
        apply(level, key, { type: "claim", probeId: id });
        const answer = answerClaim(breakerOf(kept[level], key, clock.now()), id, clock.now());
        if (!answer.admitted) return { admitted: false, retryAfterMs: answer.retryAfterMs };
      }
      return { admitted: true, probeId: `${due.map(({ level }) => level).join("+")}/${id}` };
    },

    report(subject, outcome, details) {
      for (const event of candidateEvents(outcome, details)) apply("candidate", keyOf("candidate", subject), event);
      for (const event of providerEvents(outcome, details)) apply("provider", keyOf("provider", subject), event);
    },
  };
}

/** An account that is refused is the provider's matter, not the candidate's. */
function candidateEvents(outcome: BreakerOutcome, details: Details): BreakerEvent[] {
  const probeId = probeIdOf(details.probeId, "candidate");
  const effect = details.trip === true ? "neutral" : outcome;
  if (effect === "neutral" && probeId === undefined) return [];
  return [{ type: "report", outcome: effect, probeId, retryAfterMs: details.retryAfterMs }];
}

/** A failure of the infrastructure says nothing about the account; the candidate's breaker counts it. */
function providerEvents(outcome: BreakerOutcome, details: Details): BreakerEvent[] {
  const probeId = probeIdOf(details.probeId, "provider");
  if (details.trip === true) {
    return [{ type: "report", outcome: "failure", trip: true, probeId, retryAfterMs: details.retryAfterMs }];
  }
  if (probeId === undefined) return [];
  return [{ type: "report", outcome: outcome === "success" ? "success" : "neutral", probeId }];
}

function probeIdOf(probeId: string | undefined, level: Level): string | undefined {
  const [levels = "", id] = probeId?.split("/") ?? [];
  return levels.split("+").includes(level) ? id : undefined;
}
