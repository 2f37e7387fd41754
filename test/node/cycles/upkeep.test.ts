import { describe, expect, it } from "vitest";
import type { OrgUpkeep, UpkeepPorts } from "../../../src/cycles/upkeep/ports.ts";
import { runUpkeep } from "../../../src/cycles/upkeep/upkeep.ts";
import { nanoUsd } from "../../../src/money/nano-usd.ts";

const HOUR_MS = 3_600_000;
const NOW = 1_800_000 * 1_000_000;

interface World {
  readonly ports: UpkeepPorts;
  readonly problems: string[];
  /** Every call, as `org method argument`. */
  readonly calls: string[];
}

/** Orgs where nothing is to be done, but for what a test says. */
function world(orgs: Readonly<Record<string, Partial<OrgUpkeep>>>, now: () => number = () => NOW): World {
  const calls: string[] = [];
  const problems: string[] = [];
  const idle: OrgUpkeep = {
    expireProposals: async () => 0,
    settleSwaps: async () => 0,
    unreconciled: async () => [],
    attemptCosts: async () => new Map(),
    reconcile: async () => 0,
    staleHours: async () => [],
    rollUp: async () => undefined,
    retentionDays: async () => undefined,
    advanceRetention: async () => false,
    moveRaw: async () => 0,
    forgetArtifacts: async () => 0,
    expireResponses: async () => 0,
  };
  const ports: UpkeepPorts = {
    now,
    orgs: async () => Object.keys(orgs),
    forOrg: (org) =>
      new Proxy(
        { ...idle, ...orgs[org] },
        {
          get:
            (target, method: keyof OrgUpkeep) =>
            (first: never, ...rest: never[]) => {
              calls.push(typeof first === "number" ? `${org} ${method} ${first}` : `${org} ${method}`);
              return (target[method] as (...args: never[]) => unknown)(first, ...rest);
            },
        },
      ),
    report: ({ org, task, error }) => void problems.push(`${org}: ${task}: ${(error as Error).message}`),
  };
  return { ports, problems, calls };
}

const broken = async (): Promise<never> => {
  throw new Error("away");
};
const someHours = (many: number) => Array.from({ length: many }, (_, index) => NOW - (many + 2 - index) * HOUR_MS);

describe("upkeep", () => {
  it("does every task of every org though one of them fails at each", async () => {
    const everyCallFails = Object.fromEntries(
      ["expireProposals", "unreconciled", "staleHours", "moveRaw"].map((method) => [method, broken]),
    );
    const { ports, problems, calls } = world({ sick: everyCallFails, well: { staleHours: async () => someHours(2) } });
    const done = await runUpkeep(ports);
    expect(problems).toEqual([
      "sick: expire proposals: away",
      "sick: reconcile envelopes: away",
      "sick: roll up: away",
      "sick: retention: away",
    ]);
    expect(done).toMatchObject({ hoursRolledUp: 2, problems: 4 });
    expect(calls).toContain("well retentionDays");
  });

  it("sums the other hours where one cannot be summed, and leaves an org whose hours all fail", async () => {
    const hours = someHours(5);
    const one = world({
      org: {
        staleHours: async () => hours,
        rollUp: async (hour) => {
          if (hour === hours[1]) throw new Error("overflow");
        },
      },
    });
    expect(await runUpkeep(one.ports)).toMatchObject({ hoursRolledUp: 4, problems: 1 });
    const all = world({ org: { staleHours: async () => hours, rollUp: broken } });
    expect(await runUpkeep(all.ports)).toMatchObject({ hoursRolledUp: 0, problems: 3 });
  });

  it("asks only for hours that ended five minutes ago", async () => {
    const { ports, calls } = world({ org: {} });
    await runUpkeep(ports);
    expect(calls).toContain(`org staleHours ${NOW - 5 * 60_000}`);
  });

  it("reconciles page after page, past those whose bill is still unknown", async () => {
    const all = Array.from({ length: 2_003 }, (_, index) => ({
      reservationId: `res_${index}`,
      reservedAt: 9_000 - index,
    }));
    const pageAfter = (limit: number, after: { readonly reservedAt: number } | undefined) => {
      const from = after === undefined ? 0 : all.findIndex(({ reservedAt }) => reservedAt < after.reservedAt);
      return from < 0 ? [] : all.slice(from, from + limit);
    };
    let corrected = 0;
    const moving = world({
      org: {
        unreconciled: async (limit, after) => pageAfter(limit, after),
        attemptCosts: async (ids) => new Map(ids.map((id) => [id, nanoUsd(1)])),
        reconcile: async (bills) => {
          corrected += bills.length;
          return bills.length;
        },
      },
    });
    expect((await runUpkeep(moving.ports)).envelopesReconciled).toBe(2_003);
    expect(corrected).toBe(2_003);
    const unknown = world({
      org: {
        unreconciled: async (limit, after) => pageAfter(limit, after),
        attemptCosts: async (ids) => new Map(ids.map((id) => [id, id === "res_2002" ? nanoUsd(1) : undefined])),
        reconcile: async (bills) => bills.length,
      },
    });
    expect((await runUpkeep(unknown.ports)).envelopesReconciled).toBe(1);
    expect(unknown.calls.filter((call) => call.startsWith("org unreconciled"))).toHaveLength(3);
  });

  it("lets nothing go where no retention is set, but for rows that came after their hour had gone", async () => {
    const late = [2_000, 7];
    const { ports, calls } = world({ org: { moveRaw: async () => late.shift() ?? 0 } });
    expect((await runUpkeep(ports)).inferencesMoved).toBe(2_007);
    expect(calls.filter((call) => /advance|forget/.test(call))).toEqual([]);
  });

  it("moves the mark a step only after the rows of the step before are moved", async () => {
    let steps = 2;
    const rows = [0, 2_000, 10, 5];
    const { ports, calls } = world({
      org: {
        retentionDays: async () => 30,
        advanceRetention: async () => {
          steps -= 1;
          return steps >= 0;
        },
        moveRaw: async () => rows.shift() ?? 0,
      },
    });
    await runUpkeep(ports);
    const horizon = NOW - 30 * 24 * HOUR_MS;
    expect(calls.filter((call) => /moveRaw|advance|forget/.test(call))).toEqual([
      "org moveRaw 2000",
      `org advanceRetention ${horizon}`,
      "org moveRaw 2000",
      "org moveRaw 2000",
      `org advanceRetention ${horizon}`,
      "org moveRaw 2000",
      `org advanceRetention ${horizon}`,
      `org forgetArtifacts ${horizon}`,
    ]);
  });

  it("keeps within its round trips, and an org with much to do leaves the others their share", async () => {
    const busy: Partial<OrgUpkeep> = { staleHours: async (_endedBy, limit) => someHours(limit) };
    const { ports, calls } = world({ a: busy, b: {}, c: busy });
    await runUpkeep(ports, { patienceMs: 60_000, steps: 90 });
    expect(calls.length).toBeLessThanOrEqual(90);
    for (const org of ["a", "b", "c"]) expect(calls).toContain(`${org} expireProposals`);
    // What the idle one left went to whoever came after it.
    expect(calls.length).toBeGreaterThan(80);
  });

  it("lets another org be first every hour", async () => {
    const first = async (now: number): Promise<string | undefined> => {
      const { ports, calls } = world({ a: {}, b: {}, c: {} }, () => now);
      await runUpkeep(ports);
      return calls[0]?.split(" ")[0];
    };
    const firsts = await Promise.all([0, 1, 2].map((hour) => first(NOW + hour * HOUR_MS)));
    expect(new Set(firsts).size).toBe(3);
  });

  it("ends when its time is up", async () => {
    let now = NOW;
    const { ports } = world(
      {
        org: {
          staleHours: async () => someHours(100),
          rollUp: async () => {
            now += 1_000;
          },
        },
      },
      () => now,
    );
    expect((await runUpkeep(ports, { patienceMs: 10_000, steps: 1_000 })).hoursRolledUp).toBe(10);
  });
});
