import { createExecutionContext, waitOnExecutionContext } from "cloudflare:test";
import { describe, expect, it } from "vitest";
import { type EnvelopeAlert, EnvelopeSenders, envelopePort } from "../../../durable/envelopes-client.ts";
import type { SpendEnvelopes } from "../../../durable/spend-envelopes.ts";
import { clockOf } from "../../../src/call/time/clock.ts";
import type { EnvelopeAnswer, EnvelopeMessage } from "../../../src/envelope/messages.ts";
import { type NanoUsd, nanoUsd } from "../../../src/money/nano-usd.ts";
import { claim, freshOrg, SPEND_ENVELOPES } from "./objects.ts";

type Namespace = DurableObjectNamespace<SpendEnvelopes>;

const clock = clockOf({
  now: () => Date.now(),
  after(ms, run) {
    const timer = setTimeout(run, ms);
    return () => clearTimeout(timer);
  },
});

/** A call's own port, and what it takes to wait for its background work. */
function port(org: string, namespace: Namespace = SPEND_ENVELOPES) {
  const context = createExecutionContext();
  const alerts: EnvelopeAlert[] = [];
  const envelopes = envelopePort(
    new EnvelopeSenders(namespace, clock).of(org),
    (work) => context.waitUntil(work),
    (alert) => alerts.push(alert),
  );
  return { envelopes, alerts, settled: () => waitOnExecutionContext(context) };
}

type Exchange = (messages: readonly EnvelopeMessage[]) => Promise<readonly EnvelopeAnswer[]>;

/** The real namespace, whose stubs exchange messages as `answer` says; `undefined` = as they are. */
function disturbed(answer: (types: readonly string[]) => Exchange | undefined): Namespace {
  return new Proxy(SPEND_ENVELOPES, {
    get(target, property) {
      if (property !== "getByName") return Reflect.get(target, property);
      return (name: string) => {
        const stub = target.getByName(name);
        const exchange: Exchange = async (messages) => {
          const types = messages.map((one) => (one.type === "close" ? one.closing.type : one.type));
          return await (answer(types)?.(messages) ?? stub.exchange(messages));
        };
        return { exchange };
      };
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
    const flaky = disturbed((types) => (types.includes("reserve") && asked++ === 0 ? away : undefined));
    expect(await port(freshOrg(), flaky).envelopes.reserve(request("r", 60))).toEqual({ granted: true });
    expect(asked).toBe(2);
  });

  it("refuses when the object stays away", async () => {
    const gone = disturbed((types) => (types.includes("reserve") ? away : undefined));
    expect(await port(freshOrg(), gone).envelopes.reserve(request("r", 60))).toBe("unreachable");
  });

  it("refuses when no answer comes, and holds nothing though it was granted", async () => {
    const org = freshOrg();
    // The reservation is made, but its answer never arrives.
    const mute = disturbed((types) => {
      if (!types.includes("reserve")) return undefined;
      return async (messages) => {
        await SPEND_ENVELOPES.getByName(org).exchange(messages);
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
    const flaky = disturbed((types) => (types.includes("settle") && asked++ < 2 ? away : undefined));
    const { envelopes, alerts, settled } = port(org, flaky);
    await envelopes.reserve(request("r", 60));
    envelopes.settle("r", nanoUsd(7));
    await settled();
    expect(await SPEND_ENVELOPES.getByName(org).status()).toMatchObject([{ spent: 7, reserved: 0 }]);
    expect(alerts).toEqual([]);
  });

  it("says so when a bill could not be delivered, and leaves the amount held", async () => {
    const org = freshOrg();
    const gone = disturbed((types) => (types.includes("settle") ? away : undefined));
    const { envelopes, alerts, settled } = port(org, gone);
    await envelopes.reserve(request("r", 60));
    envelopes.settle("r", nanoUsd(7));
    await settled();
    expect(alerts).toMatchObject([{ type: "unsettled", reservationId: "r" }]);
    expect(await SPEND_ENVELOPES.getByName(org).status()).toMatchObject([{ spent: 0, reserved: 60 }]);
  });

  it("sends one message for what several calls ask while another is on its way, and answers each with its own", async () => {
    const org = freshOrg();
    const sent: (readonly string[])[] = [];
    const counted = disturbed((types) => {
      sent.push(types);
      return undefined;
    });
    const { envelopes, settled } = port(org, counted);
    const asked = Array.from({ length: 20 }, (_, n) => envelopes.reserve(request(`r${n}`, 30)));
    const granted = (await Promise.all(asked)).map((result) => result !== "unreachable" && result.granted);
    expect(granted.filter(Boolean)).toHaveLength(3);
    expect(sent.flat()).toHaveLength(20);
    expect(sent.length).toBeLessThan(20);
    for (const [n, held] of granted.entries()) if (held) envelopes.settle(`r${n}`, nanoUsd(30));
    await settled();
    expect(await SPEND_ENVELOPES.getByName(org).status()).toMatchObject([{ spent: 90, reserved: 0 }]);
  });

  it("books a bill with the next reservation, which finds the room that it leaves", async () => {
    const sent: (readonly string[])[] = [];
    const counted = disturbed((types) => {
      sent.push(types);
      return undefined;
    });
    const { envelopes, settled } = port(freshOrg(), counted);
    await envelopes.reserve(request("first", 100));
    envelopes.settle("first", nanoUsd(10));
    expect(await envelopes.reserve(request("second", 90))).toEqual({ granted: true });
    expect(sent).toEqual([["reserve"], ["settle", "reserve"]]);
    envelopes.release("second");
    await settled();
  });

  it("refuses only the message that cannot be booked of those that travel together", async () => {
    const org = freshOrg();
    const { envelopes, alerts, settled } = port(org);
    await envelopes.reserve(request("good", 60));
    await envelopes.reserve(request("bad", 40));
    envelopes.settle("good", nanoUsd(20));
    envelopes.settle("bad", -1 as NanoUsd);
    await settled();
    expect(alerts).toMatchObject([{ type: "unsettled", reservationId: "bad" }]);
    expect(await SPEND_ENVELOPES.getByName(org).status()).toMatchObject([{ spent: 20, reserved: 40 }]);
  });
});
