import { evictDurableObject, runDurableObjectAlarm, runInDurableObject } from "cloudflare:test";
import fc from "fast-check";
import { afterEach, describe, expect, it, vi } from "vitest";
import type { SpendEnvelopes } from "../../../durable/spend-envelopes.ts";
import type { EnvelopeClaim, ReserveResult } from "../../../src/envelope/envelope.ts";
import { nanoUsd } from "../../../src/money/nano-usd.ts";
import { agreesWithModel, type EnvelopeLedger, envelopeSteps } from "../../support/engine/envelope-model.ts";
import { claim, freshOrg, SPEND_ENVELOPES, seededRandom, stopClock } from "./objects.ts";

type Stub = DurableObjectStub<SpendEnvelopes>;

const DAY_MS = 86_400_000;

const open = (): Stub => SPEND_ENVELOPES.getByName(freshOrg());
const reserve = (
  object: Stub,
  reservationId: string,
  claims: EnvelopeClaim[],
  worst: number,
  ttlMs = 60_000,
): Promise<ReserveResult> => object.reserve({ reservationId, claims, worstCase: nanoUsd(worst), ttlMs });

afterEach(() => vi.useRealTimers());

describe("reservations of an org", () => {
  it("are granted to exactly as many of a thousand concurrent calls as fit", async () => {
    const object = open();
    const claims = [claim("day", 50_000), claim("month", 90_000)];
    const results = await Promise.all(Array.from({ length: 1_000 }, (_, n) => reserve(object, `r${n}`, claims, 700)));
    expect(results.filter((result) => result.granted)).toHaveLength(71);
    expect(results.find((result) => !result.granted)).toMatchObject({ reason: "envelope_busy", reserved: 49_700 });
    expect(await object.status()).toMatchObject([
      { id: "day", reserved: 49_700, spent: 0 },
      { id: "month", reserved: 49_700, spent: 0 },
    ]);
  });

  it("take all envelopes or none", async () => {
    const object = open();
    await reserve(object, "first", [claim("small", 10)], 8);
    const refusal = await reserve(object, "second", [claim("large", 100), claim("small", 10)], 5);
    expect(refusal).toMatchObject({ granted: false, envelopeId: "small", reason: "envelope_busy" });
    expect(await object.status(["large"])).toMatchObject([{ reserved: 0, spent: 0 }]);
  });

  it("hold once, however often the same one is asked for at the same time", async () => {
    const object = open();
    const answers = await Promise.all(Array.from({ length: 20 }, () => reserve(object, "r", [claim("a", 10)], 10)));
    expect(answers.every((answer) => answer.granted)).toBe(true);
    expect(await object.status()).toMatchObject([{ reserved: 10 }]);
  });

  it("settle once, however often the bill is delivered", async () => {
    const object = open();
    await reserve(object, "r", [claim("a", 100)], 50);
    const settled = await Promise.all(Array.from({ length: 20 }, () => object.settle("r", nanoUsd(20))));
    expect(settled.filter((result) => result.booked)).toHaveLength(1);
    expect(await object.status()).toMatchObject([{ reserved: 0, spent: 20 }]);
  });

  it("follow the limit that was declared last, up and down", async () => {
    const object = open();
    await reserve(object, "r1", [claim("a", 10)], 10);
    expect(await reserve(object, "r2", [claim("a", 15)], 5)).toEqual({ granted: true });
    expect(await reserve(object, "r3", [claim("a", 5)], 1)).toMatchObject({ limit: 5, reason: "envelope_busy" });
    expect(await object.status()).toMatchObject([{ limit: 5, reserved: 15 }]);
  });

  it("record a bill above the reservation and stay closed until it fits again", async () => {
    const object = open();
    await reserve(object, "r1", [claim("a", 100, 5)], 50);
    expect(await object.settle("r1", nanoUsd(130))).toMatchObject({ booked: true, overrun: 80 });
    expect(await object.status()).toMatchObject([{ spent: 130, overrun: 80 }]);
    expect(await reserve(object, "r2", [claim("a", 100, 5)], 1)).toMatchObject({
      reason: "envelope_spent",
      resetsAt: 5,
    });
    expect(await reserve(object, "r3", [claim("a", 200, 5)], 70)).toEqual({ granted: true });
  });

  it("cannot be made any more once their release has overtaken them", async () => {
    const object = open();
    await object.release("slow");
    expect(await reserve(object, "slow", [claim("a", 10)], 5)).toMatchObject({ granted: false });
    expect(await object.status()).toEqual([]);
  });

  it("refuse a negative amount loudly and keep nothing of it", async () => {
    const object = open();
    // In the object itself: an error that crosses to the caller would be reported as uncaught as well.
    await runInDurableObject<SpendEnvelopes, void>(object, async (instance) => {
      const request = { reservationId: "r", claims: [claim("a", 10)], worstCase: nanoUsd(-5), ttlMs: 1 };
      await expect(instance.reserve(request)).rejects.toThrow(RangeError);
      expect(instance.status()).toEqual([]);
    });
  });
});

describe("reservations nobody closes", () => {
  it("count as spent once they expire, and are corrected by a bill that is found", async () => {
    const move = stopClock();
    const object = open();
    await reserve(object, "crashed", [claim("a", 100)], 60, 5_000);
    await reserve(object, "running", [claim("a", 100)], 30, 90_000);
    move(6_000);
    expect(await runDurableObjectAlarm(object)).toBe(true);
    expect(await object.status()).toMatchObject([{ spent: 60, reserved: 30 }]);
    expect(await object.unreconciled(10)).toMatchObject([{ reservationId: "crashed", worstCase: 60 }]);
    const bills = [{ reservationId: "crashed", actual: nanoUsd(12) }, { reservationId: "unknown" }];
    expect(await object.reconcile(bills)).toBe(1);
    expect(await object.status()).toMatchObject([{ spent: 12, reserved: 30 }]);
    expect(await object.unreconciled(10)).toEqual([]);
  });

  it("are given back whole when telemetry says that nothing was sent", async () => {
    const object = open();
    await reserve(object, "r", [claim("a", 100)], 60);
    await object.settle("r", undefined);
    expect(await object.status()).toMatchObject([{ spent: 60, reserved: 0 }]);
    await object.reconcile([{ reservationId: "r" }]);
    expect(await object.status()).toMatchObject([{ spent: 0, reserved: 0 }]);
  });

  it("expire once, though alarms may ring twice", async () => {
    const move = stopClock();
    const object = open();
    await reserve(object, "r", [claim("a", 100)], 60, 1_000);
    move(2_000);
    await runInDurableObject<SpendEnvelopes, void>(object, (instance) => {
      instance.alarm();
      instance.alarm();
    });
    expect(await object.status()).toMatchObject([{ spent: 60, reserved: 0 }]);
  });

  it("expire on the real clock without anybody's help", async () => {
    const object = open();
    await reserve(object, "r", [claim("a", 100)], 60, 200);
    await vi.waitFor(async () => expect(await object.status()).toMatchObject([{ spent: 60, reserved: 0 }]), {
      timeout: 5_000,
    });
  });

  it("expire by the thousand, in more than one alarm", async () => {
    const move = stopClock();
    const object = open();
    await Promise.all(Array.from({ length: 1_500 }, (_, n) => reserve(object, `r${n}`, [claim("a", 1_500)], 1, 1_000)));
    move(2_000);
    while ((await object.status())[0]?.reserved !== 0) expect(await runDurableObjectAlarm(object)).toBe(true);
    expect(await object.status()).toMatchObject([{ spent: 1_500, reserved: 0 }]);
  });
});

describe("an object that goes away", () => {
  it("comes back with every sum, and still wakes for what was open", async () => {
    const move = stopClock();
    const object = open();
    await reserve(object, "settled", [claim("a", 100)], 30);
    await object.settle("settled", nanoUsd(20));
    await reserve(object, "open", [claim("a", 100)], 70, 5_000);
    await evictDurableObject(object);
    expect(await object.status()).toMatchObject([{ spent: 20, reserved: 70, limit: 100 }]);
    expect(await reserve(object, "more", [claim("a", 100)], 11)).toMatchObject({ reason: "envelope_busy" });
    move(6_000);
    await evictDurableObject(object);
    expect(await runDurableObjectAlarm(object)).toBe(true);
    expect(await object.status()).toMatchObject([{ spent: 90, reserved: 0 }]);
  });
});

describe("what is past", () => {
  it("is dropped: closed reservations soon, ended periods after a week, idle runs after a month", async () => {
    const move = stopClock();
    const object = open();
    await reserve(object, "r1", [claim("day", 100, Date.now() + DAY_MS), claim("run", 100)], 30);
    await object.settle("r1", nanoUsd(20));
    const rows = () =>
      runInDurableObject(object, (_, { storage: { sql } }) => [
        sql.exec("SELECT count(*) AS n FROM reservations").one()["n"],
        ...[...sql.exec("SELECT id FROM envelopes ORDER BY id")].map((row) => row["id"]),
      ]);
    const later = async (ms: number) => {
      move(ms);
      // Whatever keeps the alarm going: some other call.
      await reserve(object, `at${Date.now()}`, [claim("other", 100)], 0, 1_000);
      move(2_000);
      await runDurableObjectAlarm(object);
      return rows();
    };
    expect(await rows()).toEqual([1, "day", "run"]);
    expect(await later(11 * 60_000)).toEqual([1, "day", "other", "run"]);
    expect(await later(7 * DAY_MS)).toContain("day");
    expect(await later(DAY_MS + 60_000)).not.toContain("day");
    expect(await later(20 * DAY_MS)).toContain("run");
    expect(await later(2 * DAY_MS)).not.toContain("run");
  });

  it("leaves nothing to wake for once everything is closed and dropped", async () => {
    const move = stopClock();
    const object = open();
    await reserve(object, "r", [claim("a", 100)], 30, 1_000);
    await object.settle("r", nanoUsd(1));
    for (let ring = 0; ring < 3; ring += 1) {
      move(11 * 60_000);
      await runDurableObjectAlarm(object);
    }
    expect(await runDurableObjectAlarm(object)).toBe(false);
  });
});

/** The real object as the model's steps drive it. */
class RealEnvelopes implements EnvelopeLedger {
  readonly #object = open();
  readonly #move: (ms: number) => void;

  constructor(move: (ms: number) => void) {
    this.#move = move;
  }

  reserve: EnvelopeLedger["reserve"] = async (request) => await this.#object.reserve(request);
  settle: EnvelopeLedger["settle"] = async (id, actual) => await this.#object.settle(id, actual);
  release: EnvelopeLedger["release"] = async (id) => await this.#object.release(id);
  restart = () => evictDurableObject(this.#object);
  status = async () => await this.#object.status();

  async wait(ms: number): Promise<void> {
    this.#move(ms);
    await runDurableObjectAlarm(this.#object);
  }
}

describe("the real object", () => {
  it("answers and adds up like the naive count, through restarts and alarms", async () => {
    const move = stopClock();
    await fc.assert(
      fc.asyncProperty(envelopeSteps, (steps) =>
        agreesWithModel(new RealEnvelopes(move), [{ type: "wait", ms: 0 }, ...steps], (actual, expected, what) =>
          expect(actual, what).toEqual(expected),
        ),
      ),
      { numRuns: 20 },
    );
  });

  it("never holds more than a limit while concurrent calls settle, crash and it restarts", async () => {
    const move = stopClock();
    const random = seededRandom(7);
    const object = open();
    const limits = { day: 4_000, month: 9_000 };
    const claims = [claim("day", limits.day), claim("month", limits.month)];
    let [granted, settled, crashed] = [0, 0, 0];
    const call = async (id: string): Promise<void> => {
      const worst = 1 + Math.floor(random() * 200);
      if (!(await reserve(object, id, claims, worst, 5_000)).granted) return;
      granted += 1;
      const end = random();
      const actual = Math.floor(random() * worst);
      if (end < 0.2) crashed += worst;
      else if (end < 0.3) await object.release(id);
      else {
        await object.settle(id, nanoUsd(actual));
        settled += actual;
      }
    };
    const watch = async (): Promise<void> => {
      for (const { spent, reserved, limit } of await object.status()) {
        expect(spent + reserved).toBeLessThanOrEqual(limit);
      }
    };
    for (let round = 0; round < 10; round += 1) {
      const calls = Array.from({ length: 100 }, (_, n) => call(`${round}-${n}`));
      await Promise.all([...calls, ...Array.from({ length: 10 }, watch)]);
      if (round % 3 === 1) await evictDurableObject(object);
      move(2_500);
      await runDurableObjectAlarm(object);
      await watch();
    }
    move(10_000);
    await runDurableObjectAlarm(object);
    expect(granted).toBeGreaterThan(50);
    expect(await object.status()).toMatchObject([
      { id: "day", spent: settled + crashed, reserved: 0 },
      { id: "month", spent: settled + crashed, reserved: 0 },
    ]);
  });
});
