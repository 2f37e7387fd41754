/** Which envelopes cover a call. Days and months are UTC; a reservation belongs to the period in which it was made. */
import type { NanoUsd } from "../money/nano-usd.ts";
import type { EnvelopeClaim, EnvelopeScope } from "./envelope.ts";

/**
 * Limits that can cover one live call. Absent = no such limit. `usd_per_call` is checked locally and needs no claim.
 */
interface CallLimits {
  readonly route?:
    | {
        readonly name: string;
        readonly perRun?: NanoUsd | undefined;
        readonly perDay?: NanoUsd | undefined;
        readonly perMonth?: NanoUsd | undefined;
      }
    | undefined;
  readonly key?: { readonly id: string; readonly perMonth?: NanoUsd | undefined } | undefined;
  readonly orgPerMonth?: NanoUsd | undefined;
  /** Run that the call belongs to; a route's `usd_per_run` limits what the route spends within it. */
  readonly run?: string | undefined;
}

/** Returns the claims of a call made at `now` (epoch ms), narrowest scope first. */
export function claimsFor({ route, key, orgPerMonth, run }: CallLimits, now: number): EnvelopeClaim[] {
  const claims: EnvelopeClaim[] = [];
  const add = (scope: EnvelopeScope, subject: readonly string[], limit: NanoUsd | undefined) => {
    if (limit !== undefined) claims.push(envelopeClaim(scope, subject, limit, now));
  };
  if (route && run !== undefined) add("run", [route.name, run], route.perRun);
  if (route) add("route-day", [route.name], route.perDay);
  if (route) add("route-month", [route.name], route.perMonth);
  if (key) add("key-month", [key.id], key.perMonth);
  add("org-month", [], orgPerMonth);
  return claims;
}

/**
 * Returns one claim of any scope, e.g. `judge-day:2026-11-29` or `replay-pass:bk_01`. The scope's name determines its
 * period; `subject` identifies the envelope within the org.
 */
export function envelopeClaim(
  scope: EnvelopeScope,
  subject: readonly string[],
  limit: NanoUsd,
  now: number,
): EnvelopeClaim {
  const period = periodOf(scope, now);
  const id = [
    scope,
    ...subject.map((part) => encodeURIComponent(part.toWellFormed())),
    ...(period ? [period.id] : []),
  ].join(":");
  return { scope, id, limit, resetsAt: period?.endsAt };
}

/** Returns the same limit in the period of `now`: a claim made before midnight names the old day. */
export function claimAt(claim: EnvelopeClaim, now: number): EnvelopeClaim {
  if (claim.resetsAt === undefined || now < claim.resetsAt) return claim;
  const period = periodOf(claim.scope, now);
  if (!period) return claim;
  // The period is the last part of an id.
  return { ...claim, id: `${claim.id.slice(0, claim.id.lastIndexOf(":") + 1)}${period.id}`, resetsAt: period.endsAt };
}

function periodOf(scope: EnvelopeScope, now: number): { readonly id: string; readonly endsAt: number } | undefined {
  const at = new Date(now);
  const [year, month, day] = [at.getUTCFullYear(), at.getUTCMonth(), at.getUTCDate()];
  if (scope.endsWith("-day")) return { id: at.toISOString().slice(0, 10), endsAt: Date.UTC(year, month, day + 1) };
  if (scope.endsWith("-month")) return { id: at.toISOString().slice(0, 7), endsAt: Date.UTC(year, month + 1, 1) };
  return undefined;
}
