import { createExecutionContext, evictAllDurableObjects, waitOnExecutionContext } from "cloudflare:test";
import { afterEach, describe, expect, it, vi } from "vitest";
import { BreakerCache, SNAPSHOT_TTL_MS } from "../../../durable/breaker-cache.ts";
import { breakerPort } from "../../../durable/breakers-client.ts";
import { DEFAULT_BREAKER_SETTINGS } from "../../../src/breaker/breaker.ts";
import type { Admission, BreakerPort, BreakerSubject } from "../../../src/call/ports.ts";
import { freshOrg, ROUTE_BREAKER, stopClock } from "./objects.ts";

const settings = DEFAULT_BREAKER_SETTINGS;
const subject: BreakerSubject = { route: "example.a", candidate: "openai/gpt-5.4-mini", provider: "openai" };
const otherRoute: BreakerSubject = { ...subject, route: "example.b" };
const otherCandidate: BreakerSubject = { ...subject, candidate: "gemini/flash", provider: "gemini" };

/** One isolate of the gateway: its own cache, and the round trips it makes. */
class Isolate {
  readonly port: BreakerPort;
  trips = 0;
  readonly #context = createExecutionContext();

  constructor(org: string, namespace: DurableObjectNamespace = ROUTE_BREAKER) {
    const counting = new Proxy(namespace, {
      get: (target, property) => {
        const value: unknown = Reflect.get(target, property);
        if (typeof value !== "function") return value;
        return (...args: unknown[]) => {
          if (property === "get") this.trips += 1;
          return Reflect.apply(value, target, args);
        };
      },
    });
    const background = (work: Promise<unknown>) => this.#context.waitUntil(work);
    this.port = breakerPort(counting, org, new BreakerCache(), background, { now: () => Date.now() });
  }

  settled = () => waitOnExecutionContext(this.#context);

  /** A first call, so that the snapshots are there. */
  async warm(...subjects: readonly BreakerSubject[]): Promise<this> {
    for (const one of subjects.length > 0 ? subjects : [subject]) await this.port.admit(one);
    await this.settled();
    this.trips = 0;
    return this;
  }

  async fail(times: number, of = subject, details: Parameters<BreakerPort["report"]>[2] = {}): Promise<void> {
    for (let index = 0; index < times; index += 1) {
      this.port.report(of, "failure", details);
      await this.settled();
    }
  }
}

const unreachable = new Proxy(ROUTE_BREAKER, {
  get: (target, property) =>
    property === "get"
      ? () => ({ fetch: () => Promise.reject(new Error("the object is away")) })
      : Reflect.get(target, property).bind(target),
});

const probes = (admissions: readonly Admission[]) =>
  admissions.flatMap((admission) => (admission.admitted && admission.probeId ? [admission.probeId] : []));

afterEach(() => {
  vi.useRealTimers();
});

describe("a healthy candidate", () => {
  it("costs a warm isolate no round trip, before the answer or after it", async () => {
    const isolate = await new Isolate(freshOrg()).warm();
    for (let call = 0; call < 500; call += 1) {
      expect(isolate.port.admit(subject)).toEqual({ admitted: true });
      isolate.port.report(subject, call % 10 === 0 ? "neutral" : "success", {});
    }
    expect(isolate.trips).toBe(0);
  });

  it("is admitted by a cold isolate at once, while it asks in the background", async () => {
    const isolate = new Isolate(freshOrg());
    expect(isolate.port.admit(subject)).toEqual({ admitted: true });
    expect(isolate.port.admit(subject)).toEqual({ admitted: true });
    await isolate.settled();
    expect(isolate.trips).toBe(2);
  });

  it("has its snapshots refreshed in the background once they are old", async () => {
    const move = stopClock();
    const isolate = await new Isolate(freshOrg()).warm();
    move(SNAPSHOT_TTL_MS - 1);
    isolate.port.admit(subject);
    expect(isolate.trips).toBe(0);
    move(1);
    expect(isolate.port.admit(subject)).toEqual({ admitted: true });
    await isolate.settled();
    isolate.port.admit(subject);
    expect(isolate.trips).toBe(2);
  });
});

describe("a failing candidate", () => {
  it("is refused in every isolate once they know, alone on its route", async () => {
    stopClock();
    const org = freshOrg();
    const [first, second] = [await new Isolate(org).warm(), new Isolate(org)];
    await first.fail(settings.consecutiveFailures);
    await second.warm(subject, otherCandidate, otherRoute);
    for (const { port } of [first, second]) {
      const refusal = port.admit(subject);
      expect(refusal).toMatchObject({ admitted: false });
      expect(refusal).not.toBeInstanceOf(Promise);
      expect(port.admit(otherCandidate)).toEqual({ admitted: true });
      expect(port.admit(otherRoute)).toEqual({ admitted: true });
    }
  });

  it("is not opened by failures between which it serves", async () => {
    const isolate = await new Isolate(freshOrg()).warm();
    for (let round = 0; round < settings.minimumCalls; round += 1) {
      isolate.port.report(subject, "success", {});
      isolate.port.report(subject, "success", {});
      await isolate.fail(1);
    }
    expect(isolate.port.admit(subject)).toEqual({ admitted: true });
  });

  it("is opened by its failure rate, counted with the successes that were never sent one by one", async () => {
    const isolate = await new Isolate(freshOrg()).warm();
    const half = settings.minimumCalls / 2;
    for (let call = 0; call < half; call += 1) isolate.port.report(subject, "success", {});
    expect(isolate.trips).toBe(0);
    for (let round = 0; round < half; round += 1) {
      await isolate.fail(2);
      isolate.port.report(subject, "success", {});
      await isolate.settled();
    }
    expect(await isolate.port.admit(subject)).toMatchObject({ admitted: false });
  });

  it("is held closed by the successes of other isolates", async () => {
    const move = stopClock();
    const org = freshOrg();
    const [bad, good] = [await new Isolate(org).warm(), await new Isolate(org).warm()];
    for (let round = 0; round < 3; round += 1) {
      await bad.fail(settings.consecutiveFailures - 1);
      move(SNAPSHOT_TTL_MS);
      good.port.admit(subject);
      await good.settled();
      good.port.report(subject, "success", {});
      await good.settled();
    }
    await bad.warm();
    expect(bad.port.admit(subject)).toEqual({ admitted: true });
  });

  it("is not opened by neutral outcomes, however many", async () => {
    const isolate = await new Isolate(freshOrg()).warm();
    for (let call = 0; call < 100; call += 1) isolate.port.report(subject, "neutral", {});
    expect(isolate.trips).toBe(0);
    expect(isolate.port.admit(subject)).toEqual({ admitted: true });
  });

  it("is left alone for as long as its Retry-After asks", async () => {
    const move = stopClock();
    const isolate = await new Isolate(freshOrg()).warm();
    await isolate.fail(settings.consecutiveFailures, subject, { retryAfterMs: 120_000 });
    move(119_000);
    expect(isolate.port.admit(subject)).toEqual({ admitted: false, retryAfterMs: 1_000 });
    move(1_000);
    expect(probes([await isolate.port.admit(subject)])).toHaveLength(1);
  });
});

describe("a candidate whose cool-down is over", () => {
  async function due(org: string): Promise<{ isolates: Isolate[]; move: (ms: number) => void }> {
    const move = stopClock();
    const first = await new Isolate(org).warm();
    await first.fail(settings.consecutiveFailures);
    const isolates = [first, await new Isolate(org).warm(), await new Isolate(org).warm()];
    move(settings.coolDownMs);
    return { isolates, move };
  }

  it("is probed by one of fifty calls across isolates; the others are refused", async () => {
    const { isolates } = await due(freshOrg());
    const calls = Array.from({ length: 50 }, (_, call) => isolates[call % 3]?.port.admit(subject));
    const admissions = (await Promise.all(calls)).filter((admission) => admission !== undefined);
    expect(admissions).toHaveLength(50);
    expect(admissions.filter((admission) => admission.admitted)).toHaveLength(1);
    expect(probes(admissions)).toHaveLength(1);
  });

  it("serves everybody again after a good probe", async () => {
    const { isolates, move } = await due(freshOrg());
    const [first, second] = isolates;
    if (!first || !second) throw new Error("two isolates are needed");
    const [probeId] = probes([await first.port.admit(subject)]);
    first.port.report(subject, "success", { probeId });
    await first.settled();
    expect(first.port.admit(subject)).toEqual({ admitted: true });
    // The other claims, and hears that there is nothing to probe any more.
    expect(await second.port.admit(subject)).toEqual({ admitted: true, probeId: undefined });
    move(1);
    expect(second.port.admit(subject)).toEqual({ admitted: true });
  });

  it("cools down again, for longer, after a bad probe", async () => {
    const { isolates, move } = await due(freshOrg());
    const [first] = isolates;
    const [probeId] = probes([(await first?.port.admit(subject)) ?? { admitted: true }]);
    first?.port.report(subject, "failure", { probeId });
    await first?.settled();
    move(settings.coolDownMs - 1);
    expect(await first?.port.admit(subject)).toMatchObject({ admitted: false });
    move(settings.coolDownMs + 1);
    expect(await first?.port.admit(subject)).toMatchObject({ admitted: true });
  });

  it("hands a probe that proved nothing to the next call", async () => {
    const { isolates } = await due(freshOrg());
    const [first, second] = isolates;
    const [probeId] = probes([(await first?.port.admit(subject)) ?? { admitted: true }]);
    first?.port.report(subject, "neutral", { probeId });
    await first?.settled();
    expect(probes([(await second?.port.admit(subject)) ?? { admitted: true }])).toHaveLength(1);
  });

  it("keeps its state through a restart of the object", async () => {
    const { isolates } = await due(freshOrg());
    await evictAllDurableObjects();
    const admissions = await Promise.all(isolates.map((isolate) => isolate.port.admit(subject)));
    expect(probes(admissions)).toHaveLength(1);
    await evictAllDurableObjects();
    expect(await isolates[0]?.port.admit(subject)).toMatchObject({ admitted: false });
  });
});

describe("an account that is refused", () => {
  const tripped = async (org: string) => {
    const isolate = await new Isolate(org).warm(subject, otherRoute, otherCandidate);
    isolate.port.report(subject, "failure", { trip: true });
    await isolate.settled();
    return isolate;
  };

  it("closes its provider to all routes of the org at once, and no other provider or org", async () => {
    stopClock();
    const isolate = await tripped(freshOrg());
    expect(isolate.port.admit(subject)).toMatchObject({ admitted: false });
    expect(isolate.port.admit(otherRoute)).toMatchObject({ admitted: false });
    expect(isolate.port.admit(otherCandidate)).toEqual({ admitted: true });
    expect((await new Isolate(freshOrg()).warm()).port.admit(subject)).toEqual({ admitted: true });
  });

  it("is probed by one call of any route, whose success opens it to all", async () => {
    const move = stopClock();
    const isolate = await tripped(freshOrg());
    move(settings.coolDownMs);
    const admissions = await Promise.all([isolate.port.admit(subject), isolate.port.admit(otherRoute)]);
    const [probeId] = probes(admissions);
    expect(admissions.filter((admission) => admission.admitted)).toHaveLength(1);
    isolate.port.report(admissions[0]?.admitted ? subject : otherRoute, "success", { probeId });
    await isolate.settled();
    expect(isolate.port.admit(subject)).toEqual({ admitted: true });
    expect(isolate.port.admit(otherRoute)).toEqual({ admitted: true });
  });

  it("stays closed on another refusal, and learns nothing from an outage", async () => {
    const move = stopClock();
    const isolate = await tripped(freshOrg());
    move(settings.coolDownMs);
    const [outage] = probes([await isolate.port.admit(subject)]);
    isolate.port.report(subject, "failure", { probeId: outage });
    await isolate.settled();
    const [refusal] = probes([await isolate.port.admit(subject)]);
    expect(refusal).toBeDefined();
    isolate.port.report(subject, "failure", { probeId: refusal, trip: true });
    await isolate.settled();
    expect(await isolate.port.admit(subject)).toMatchObject({ admitted: false });
  });
});

describe("objects that cannot be reached", () => {
  it("count as closed", async () => {
    const isolate = new Isolate(freshOrg(), unreachable);
    expect(isolate.port.admit(subject)).toEqual({ admitted: true });
    isolate.port.report(subject, "failure", {});
    await isolate.settled();
    expect(isolate.port.admit(subject)).toEqual({ admitted: true });
  });

  it("do not fail a call whose binding throws on the spot", async () => {
    const broken = new Proxy(ROUTE_BREAKER, {
      get: (target, property) => {
        if (property !== "get") return Reflect.get(target, property).bind(target);
        return () => {
          throw new Error("no such namespace");
        };
      },
    });
    const isolate = new Isolate(freshOrg(), broken);
    expect(isolate.port.admit(subject)).toEqual({ admitted: true });
    expect(() => isolate.port.report(subject, "failure", {})).not.toThrow();
    await isolate.settled();
  });

  it("do not keep a call waiting that would have to claim a probe", async () => {
    const move = stopClock();
    const org = freshOrg();
    let gone = false;
    const sometimes = new Proxy(ROUTE_BREAKER, {
      get: (target, property) =>
        gone && property === "get" ? Reflect.get(unreachable, property) : Reflect.get(target, property).bind(target),
    });
    const isolate = await new Isolate(org, sometimes).warm();
    await isolate.fail(settings.consecutiveFailures);
    move(settings.coolDownMs);
    gone = true;
    expect(await isolate.port.admit(subject)).toMatchObject({ admitted: true });
  });
});

describe("names", () => {
  it("may hold any characters", async () => {
    stopClock();
    const odd = { route: "Häuser/日本:*", candidate: "ollama/模型", provider: "ollama" };
    const isolate = await new Isolate(`${freshOrg()}/ü`).warm(odd);
    await isolate.fail(settings.consecutiveFailures, odd);
    expect(isolate.port.admit(odd)).toMatchObject({ admitted: false });
  });
});
