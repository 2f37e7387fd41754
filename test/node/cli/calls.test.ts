/** Calls as the command line shows them: what follows prints, how a call reads, which times are understood. */
import { setImmediate as turn } from "node:timers/promises";
import { describe, expect, it } from "vitest";
import { attemptWaterfall } from "../../../src/cli/calls/attempt-waterfall.ts";
import { CALL_COLUMNS, CallLines, type CallRow } from "../../../src/cli/calls/call-lines.ts";
import { type CallDetail, callSummary } from "../../../src/cli/calls/call-summary.ts";
import { type FollowOptions, followCalls, ToldCalls } from "../../../src/cli/calls/follow.ts";
import { CliError, EXIT } from "../../../src/cli/command.ts";
import { timeFrom } from "../../../src/cli/since.ts";
import { fakeIo } from "../../support/hosts/fake-io.ts";

const NOW = Date.parse("2026-12-01T12:00:00Z");

describe("a time on the command line", () => {
  it.each([
    ["30m", "2026-12-01T11:30:00.000Z"],
    ["24h", "2026-11-30T12:00:00.000Z"],
    ["2w", "2026-11-17T12:00:00.000Z"],
    ["2026-07-01", "2026-07-01T00:00:00.000Z"],
    ["2026-07-01T09:30", "2026-07-01T09:30:00.000Z"],
    ["2026-07-01T09:30:00+02:00", "2026-07-01T07:30:00.000Z"],
  ])("%s is %s", (text, expected) => {
    expect(timeFrom("--since", text, NOW)).toBe(expected);
  });

  it.each(["", "yesterday", "7", "-1d", "2026-13-01", "1e3d", "2026-07-01T09:30+2", "9999999d", "' OR 1"])(
    "%j is refused by its flag's name",
    (text) => {
      expect(() => timeFrom("--since", text, NOW)).toThrow(
        expect.objectContaining({ code: "cli.usage", message: `--since cannot be ${JSON.stringify(text)}` }),
      );
    },
  );
});

/** A gateway whose calls end at moments of the test's choosing: each poll sees what has ended by then. */
async function follow(polls: readonly (readonly CallRow[] | CliError)[], before: readonly CallRow[] = []) {
  const ended: CallRow[] = [...before];
  const printed: string[] = [];
  const lost: (string | undefined)[] = [];
  const stop = new AbortController();
  const told = new ToldCalls(NOW);
  told.unseen(before);
  let poll = 0;
  const ask: FollowOptions["ask"] = async (since) => {
    const now = polls[poll];
    poll += 1;
    if (now instanceof CliError) throw now;
    ended.push(...(now ?? []));
    return ended.filter((row) => String(row["ts"]) >= since);
  };
  await followCalls(told, {
    ask,
    print: (rows) => printed.push(...rows.map((row) => String(row["id"]))),
    lost: (reason) => lost.push(reason),
    signal: stop.signal,
    wait: async () => {
      await turn();
      if (poll >= polls.length) stop.abort();
    },
  });
  return { printed, lost };
}

const row = (id: string, second: number): CallRow => ({ id, ts: new Date(NOW + second * 1_000).toISOString() });
const NOTHING: readonly CallRow[] = [];

describe("following calls", () => {
  it("prints each call once, in the order of their ends, and none that was over before", async () => {
    const { printed } = await follow([[row("b", 1)], [row("a", 0)], NOTHING, [row("c", 2)], NOTHING], [row("old", -5)]);
    expect(printed).toEqual(["b", "a", "c"]);
  });

  it("finds a call that ran for half an hour beside newer ones", async () => {
    const quiet = Array.from({ length: 60 }, () => NOTHING);
    const { printed } = await follow([[row("new", 1_800)], [row("long", 5)], ...quiet]);
    expect(printed).toEqual(["new", "long"]);
  });

  it("says once that the gateway is away and once that it is back, and loses nothing", async () => {
    const away = new CliError("gateway.unreachable", "cannot reach it", { exitCode: EXIT.unreachable });
    const { printed, lost } = await follow([[row("a", 0)], away, away, [row("b", 1)], NOTHING]);
    expect(printed).toEqual(["a", "b"]);
    expect(lost).toEqual(["cannot reach it", undefined]);
  });

  it("ends where going on would not help", async () => {
    const refused = new CliError("gateway.refused", "no scope", { exitCode: EXIT.auth });
    await expect(follow([refused])).rejects.toBe(refused);
  });
});

function callRow(more: Readonly<Record<string, CallRow[string]>>): CallRow {
  return { ...Object.fromEntries(CALL_COLUMNS.map((name) => [name, null])), ...more };
}

const FAILED = callRow({
  ...{ ts: "2026-12-01T12:00:00.123Z", id: "inf_1", lane: "raw", failure_class: "timeout", attempts: 2 },
  ...{ latency_ms: 30_000, estimated: false },
});

describe("calls as lines", () => {
  it("never shows an unknown cost as none, nor a missing count as 0", () => {
    const io = fakeIo({ tty: true, columns: 140, env: { NO_COLOR: "1" } });
    new CallLines(io, "text").print([FAILED]);
    expect(io.out().split("\n")[1]).toBe(
      "2026-12-01 12:00:00Z  raw   –          timeout      2  30000       –  unknown  inf_1",
    );
  });

  it("writes the head once, whatever comes after", () => {
    const io = fakeIo();
    const lines = new CallLines(io, "text");
    lines.print([FAILED]);
    lines.print([{ ...FAILED, id: "inf_2" }]);
    expect(io.out().match(/failure_class/g)).toHaveLength(1);
    expect(io.out().trimEnd().split("\n")).toHaveLength(3);
  });

  it("writes one JSON object a line", () => {
    const io = fakeIo();
    new CallLines(io, "json").print([FAILED, { ...FAILED, id: "inf_2" }]);
    const objects = io
      .out()
      .trimEnd()
      .split("\n")
      .map((line) => JSON.parse(line) as CallRow);
    expect(objects.map(({ id, cost }) => [id, cost])).toEqual([
      ["inf_1", null],
      ["inf_2", null],
    ]);
  });
});

const TOKENS = { input: 120, uncached: 120, cache_read: null, cache_write: null, output: 30, reasoning: 0 };
const ATTEMPT: CallDetail["attempts"][number] = {
  ...{ id: "att_1", provider: "up", model: "m", rung: "native_strict", ts: "2026-12-01T12:00:00.000Z" },
  ...{ latency_ms: 300, first_byte_ms: null, status: 503, failure_class: "capacity_shed", reason: null, code: null },
  ...{ finish: null, tokens: TOKENS, usage_estimated: false, usage_inconsistent: false, cost_usd: null },
  ...{ reserved_usd: "0.010000000", cost_estimated: false, tier: "standard", price_version: null, dropped: ["seed"] },
};
const DETAIL: CallDetail = {
  inference: {
    ...{ id: "inf_1", key: "key_1", lane: "live", route: "a.b", route_hash: "h", variant: null, arm: null, run: "r" },
    ...{ step: "s", stream: true, ts: "2026-12-01T12:00:00.000Z", latency_ms: 1_000, first_byte_ms: 700 },
    ...{ provider: "up", model: "n", rung: "prompt_only", failure_class: null, reason: null, status: null, code: null },
    ...{ finish: "stop", conformant: true, attempts: 2, tokens: TOKENS, cost_usd: null, reserved_usd: "0.010000000" },
    ...{
      cost_estimated: false,
      simulated: false,
      tags: { client: "ac\u202eme" },
      tier: "standard",
      price_version: "p",
    },
    skipped: [{ candidate: "up/o", why: "breaker_open" }],
  },
  attempts: [
    ATTEMPT,
    {
      ...ATTEMPT,
      ...{ id: "att_2", model: "n", rung: "prompt_only", ts: "2026-12-01T12:00:00.500Z", latency_ms: 500 },
      ...{ status: 200, failure_class: null, finish: "stop", cost_usd: "0.000123000", dropped: [] },
    },
  ],
  grades: [],
};

describe("one call", () => {
  it("says who served it, what it cost and what is held for what is unknown", () => {
    const text = callSummary(DETAIL);
    expect(text).toContain("route    a.b@default  (live)");
    expect(text).toContain("outcome  served by up/n (prompt_only), finish stop, answer passes its schema");
    expect(text).toContain("cost     unknown, $0.010000000 held by envelopes in its place");
    expect(text).toContain("tokens   120 input, 120 uncached, 30 output");
    expect(text).toContain("run      r  step s");
  });

  it("prints no mark that reorders text", () => {
    expect(callSummary(DETAIL)).toContain("tags     client=ac me");
  });

  it("draws its attempts on one line of time, with what was skipped and dropped", () => {
    const lines = attemptWaterfall(DETAIL, 100).split("\n");
    expect(lines[1]).toContain("███████·················  300  capacity_shed 503    unknown");
    expect(lines[2]).toContain("············████████████  500  stop               $0.000123");
    expect(lines.slice(3)).toEqual(["skipped  up/o: breaker_open", "dropped  from attempt 1: seed"]);
  });

  it("says so where no request was sent", () => {
    expect(attemptWaterfall({ ...DETAIL, attempts: [] }, 80).split("\n")[0]).toBe("no request was sent");
  });
});
