import { createExecutionContext, waitOnExecutionContext } from "cloudflare:test";
import { describe, expect, it } from "vitest";
import { type EnvelopeAlert, envelopePort } from "../../../durable/envelopes-client.ts";
import type { SpendEnvelopes } from "../../../durable/spend-envelopes.ts";
import { nanoUsd } from "../../../src/money/nano-usd.ts";
import { claim, freshOrg, SPEND_ENVELOPES } from "./objects.ts";

type Namespace = DurableObjectNamespace<SpendEnvelopes>;

/** A call's own port, and what it takes to wait for its background work. */
function port(org: string, namespace: Namespace = SPEND_ENVELOPES) {
  const context = createExecutionContext();
  const alerts: EnvelopeAlert[] = [];
  const envelopes = envelopePort(
    namespace,
    org,
    (work) => context.waitUntil(work),
    (alert) => alerts.push(alert),
  );
  return { envelopes, alerts, settled: () => waitOnExecutionContext(context) };
}

/** The real namespace, whose stubs answer as `answer` says; `undefined` = as they are. */
function disturbed(answer: (method: string) => (() => Promise<never>) | undefined): Namespace {
  return new Proxy(SPEND_ENVELOPES, {
    get(target, property) {
      if (property !== "getByName") return Reflect.get(target, property);
      return (name: string) =>
        new Proxy(target.getByName(name), {
          get(stub, method) {
            return answer(String(method)) ?? Reflect.get(stub, method);
          },
        });
    },
  });
}

const request = (reservationId: string, worst: number, limit = 100) => {
  return { reservationId, claims: [claim("a", limit)], worstCase: nanoUsd(worst), ttlMs: 60_000 };
};
const away = () => Promise.reject(new Error("the object is being moved"));

describe("the port of the envelopes", () => {
  it("reserves, settles and releases on the org's own object", async () => {
    const [org, other] = [freshOrg(), freshOrg()];
    const { envelopes, alerts, settled } = port(org);
    expect(await envelopes.reserve(request("r1", 60))).toEqual({ granted: true });
    expect(await envelopes.reserve(request("r2", 60))).toMatchObject({ granted: false, reason: "envelope_busy" });
    envelopes.settle("r1", nanoUsd(10));
    await settled();
    expect(await envelopes.reserve(request("r3", 90))).toEqual({ granted: true });
    expect(await port(other).envelopes.reserve(request("r1", 100))).toEqual({ granted: true });
    envelopes.release("r3");
    await settled();
    expect(await SPEND_ENVELOPES.getByName(org).status()).toMatchObject([{ spent: 10, reserved: 0 }]);
    expect(alerts).toEqual([]);
  });

  it("raises an alert on a bill above its reservation", async () => {
    const { envelopes, alerts, settled } = port(freshOrg());
    await envelopes.reserve(request("r", 60));
    envelopes.settle("r", nanoUsd(75));
    await settled();
    expect(alerts).toMatchObject([{ type: "overrun", reservationId: "r", overrun: 15, reserved: expect.any(Number) }]);
  });

  it("asks again when the object was just being restarted", async () => {
    let asked = 0;
    const flaky = disturbed((method) => (method === "reserve" && asked++ === 0 ? away : undefined));
    expect(await port(freshOrg(), flaky).envelopes.reserve(request("r", 60))).toEqual({ granted: true });
    expect(asked).toBe(2);
  });

  it("refuses when the object stays away", async () => {
    const gone = disturbed((method) => (method === "reserve" ? away : undefined));
    expect(await port(freshOrg(), gone).envelopes.reserve(request("r", 60))).toBe("unreachable");
  });

  it("refuses when no answer comes, and holds nothing though it was granted", async () => {
    const org = freshOrg();
    // The reservation is made, but its answer never arrives.
    const mute = disturbed((method) => {
      if (method !== "reserve") return undefined;
      return async () => {
        await SPEND_ENVELOPES.getByName(org).reserve(request("r", 60));
        return new Promise<never>(() => undefined);
      };
    });
    const { envelopes, settled } = port(org, mute);
    expect(await envelopes.reserve(request("r", 60))).toBe("unreachable");
    await settled();
    expect(await SPEND_ENVELOPES.getByName(org).status()).toMatchObject([{ spent: 0, reserved: 0 }]);
  });

  it("delivers the bill once the object is back", async () => {
    const org = freshOrg();
    let asked = 0;
    const flaky = disturbed((method) => (method === "settle" && asked++ < 2 ? away : undefined));
    const { envelopes, alerts, settled } = port(org, flaky);
    await envelopes.reserve(request("r", 60));
    envelopes.settle("r", nanoUsd(7));
    await settled();
    expect(await SPEND_ENVELOPES.getByName(org).status()).toMatchObject([{ spent: 7, reserved: 0 }]);
    expect(alerts).toEqual([]);
  });

  it("says so when a bill could not be delivered, and leaves the amount held", async () => {
    const org = freshOrg();
    const gone = disturbed((method) => (method === "settle" ? away : undefined));
    const { envelopes, alerts, settled } = port(org, gone);
    await envelopes.reserve(request("r", 60));
    envelopes.settle("r", nanoUsd(7));
    await settled();
    expect(alerts).toMatchObject([{ type: "unsettled", reservationId: "r" }]);
    expect(await SPEND_ENVELOPES.getByName(org).status()).toMatchObject([{ spent: 0, reserved: 60 }]);
  });
});
