import type { CallBudget } from "../src/call/call.ts";
import { claimsFor } from "../src/envelope/period.ts";
import type { Principal } from "../src/identity/principal.ts";
import type { Route } from "../src/route/route.ts";
import type { Runtime } from "./runtime.ts";

/** Every limit that covers a live call. No claims = no round trip to the envelopes. */
export function callBudget(
  runtime: Runtime,
  principal: Principal,
  route: Route | undefined,
  run: string | undefined,
): CallBudget {
  const { perCall, ...limits } = route?.budget ?? {};
  const claims = claimsFor(
    {
      route: route && { name: route.name, ...limits },
      key: { id: principal.keyId, perMonth: principal.monthlyLimit },
      orgPerMonth: runtime.config.budget.orgPerMonth,
      run,
    },
    runtime.now(),
  );
  return { perCall, claims };
}
