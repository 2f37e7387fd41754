import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { ArmReport } from "../../../src/bakeoff/analysis/arm-report.ts";
import { servedDigest } from "../../../src/bakeoff/evidence/served-payload.ts";
import type { BakeoffReport } from "../../../src/bakeoff/report/bakeoff-report.ts";
import { gateOf } from "../../../src/bakeoff/report/consistency.ts";
import { asOf, fileProposal, recordDecision } from "../../../src/proposal/file.ts";
import type { Proposal } from "../../../src/proposal/proposal.ts";
import { narrow } from "../../../src/route/narrow.ts";
import type { Route } from "../../../src/route/route.ts";
import { migrate } from "../../../src/store/database/migrate.ts";
import { type OrgStore, openStore, type Store } from "../../../src/store/store.ts";
import { approveSwap } from "../../../src/swap/approve.ts";
import { closedIn } from "../../../src/swap/closed.ts";
import { settleSwaps } from "../../../src/swap/settle.ts";
import { armFigures, digestOf, pairFigures, pairsWith, regretFigures } from "../../support/bakeoff/bakeoff-figures.ts";
import { type LocalDatabase, localDatabase, releasedMigrations } from "../../support/hosts/local-database.ts";
import { routeOf } from "../../support/sources/bundles.ts";

const DAY = 86_400_000;
const NOW = Date.parse("2026-11-29T12:00:00.000Z");
const human = (at = NOW) => ({ by: "key_1", at });

let database: LocalDatabase;
let store: Store;
let own: OrgStore;
let ids = 0;

beforeEach(async () => {
  database = await localDatabase();
  await migrate(database.connection, releasedMigrations());
  store = openStore(database.connection);
  own = store.forOrg("org_1");
});
afterEach(async () => {
  store.close();
  await database.remove();
});

const newId = (): string => `id_${++ids}`;

/** Against the incumbent's $5, with a tenth on either side. */
const costRatioOf = (usd: number) => ({ ratio: usd / 5, low: (0.9 * usd) / 5, high: (1.1 * usd) / 5 });

/** A report of which the variant clears the gate; `more` and `figures` change it. */
function reportOf(
  more: Partial<BakeoffReport> = {},
  figures: Partial<ArmReport> = {},
  variant = "cheap",
): BakeoffReport {
  const dear = armFigures("default", { role: "incumbent", effective: { usd_per_1k: 5, low: 4.5, high: 5.5 } });
  const report: BakeoffReport = {
    schema: "modelrig.bakeoff/1",
    id: "bo_1",
    route: "acme.task",
    route_hash: "a".repeat(64),
    started_at: new Date(NOW - 1000).toISOString(),
    finished_at: new Date(NOW).toISOString(),
    seed: 1,
    concurrency: 8,
    budget_usd_per_arm: "5.000000000",
    simulated: false,
    partial: false,
    inputs: { asked: 400, used: 400, variables: 400, messages: 0 },
    metric: "conformance",
    schema_declared: true,
    objective: { mode: "cost-first", max_conformance_drop: 0.05 },
    answers: { evidence: "checked", accepted: false, reason: "answers were judged by value checks" },
    sampling: { representative: true, text: "the newest captures" },
    evidence_store: { kept: true },
    incumbent: "default",
    arms: [dear, armFigures(variant, figures)],
    pairs: [
      pairFigures(variant, {
        cost_ratio: { ...costRatioOf(figures.effective?.usd_per_1k ?? 1), level: 0.0076 },
      }),
    ],
    regrets: regretFigures([{ arm: variant, against: "default", pairs: pairsWith(400, 0, 0), limit: 0.05 }]),
    gate: { kind: "cost-first", verdicts: [], reason: "" },
    ...more,
  };
  return { ...report, gate: gateOf(report) };
}

async function filed(report = reportOf(), at = NOW): Promise<Proposal> {
  const proposal = await fileProposal(report, own.proposals, closedIn(own.swaps), human(at), newId);
  if (!proposal) throw new Error("nothing was filed");
  return proposal;
}

const promised = { route_hash: "a".repeat(64), serves: "b".repeat(32) };
const patch = { path: "routes/acme.task.yaml", patch: "--- a\n+++ b\n", promised };
const swapped = (proposal: Proposal, at = NOW) => approveSwap(proposal, patch, own.swaps, human(at), newId);

describe("filing a proposal", () => {
  it("files the arm that clears, evidenced, to expire in 30 days", async () => {
    expect(await filed()).toMatchObject({
      kind: "bakeoff",
      state: "evidenced",
      route: "acme.task",
      expires_at: new Date(NOW + 30 * DAY).toISOString(),
      evidence: { variant: "cheap", swap_direction: "down", cost_delta_usd_per_1k: -4, bakeoff: "bo_1" },
    });
  });

  it("files nothing where no arm clears", async () => {
    const report = reportOf({}, { effective: { usd_per_1k: 6 } });
    expect(await fileProposal(report, own.proposals, closedIn(own.swaps), human(), newId)).toBeUndefined();
    expect(await own.proposals.list({ limit: 10 })).toEqual([]);
  });

  it("files the same challenger on the same route version once, with the newer evidence", async () => {
    const first = await filed();
    const second = await filed(reportOf({ id: "bo_2" }), NOW + DAY);
    expect(second.id).toBe(first.id);
    expect(second).toMatchObject({ evidence: { bakeoff: "bo_2" }, expires_at: new Date(NOW + 31 * DAY).toISOString() });
    expect(await own.proposals.list({ limit: 10 })).toHaveLength(1);
  });

  it("files once when the same report arrives many times at once", async () => {
    const all = await Promise.all(Array.from({ length: 8 }, () => filed()));
    expect(new Set(all.map(({ id }) => id)).size).toBe(1);
    expect(await own.proposals.list({ limit: 10 })).toHaveLength(1);
  });

  /** The report of an arm that serves something else under the same name. */
  const otherwise = (): BakeoffReport => {
    const report = reportOf({ id: "bo_2" });
    const regrets = report.regrets.map((one) => ({ ...one, key: { ...one.key, arm: digestOf("another prompt") } }));
    return { ...report, regrets };
  };

  it("files the same one where only the route's version differs, as with another description", async () => {
    const first = await filed();
    expect((await filed(reportOf({ route_hash: "b".repeat(64) }))).id).toBe(first.id);
  });

  it("files anew for an arm that serves something else, and closes the older proposal of that variant", async () => {
    const first = await filed();
    const second = await filed(otherwise());
    expect(second.id).not.toBe(first.id);
    expect(await own.proposals.get(first.id)).toMatchObject({ state: "superseded" });
    expect(second.state).toBe("evidenced");
  });

  it("only suggests where nothing but the shape of answers was tested, until a person takes that for enough", async () => {
    const shape = { evidence: "shape", accepted: false, reason: "only the shape of the answers was tested" } as const;
    const suggested = await filed(reportOf({ answers: shape }));
    expect(suggested.state).toBe("suggested");
    expect(await recordDecision(suggested, { event: "approve" }, own.proposals, human())).toMatchObject({ ok: false });
    const taken = await recordDecision(suggested, { event: "accept_shape" }, own.proposals, human());
    expect(taken).toMatchObject({ ok: true, value: { state: "evidenced" } });
    expect((await own.audit.list(10)).map(({ action }) => action)).toContain("proposal.evidenced");
  });

  it("is evidenced by shape alone where the route declares that this is all that counts", async () => {
    const shape = { evidence: "shape", accepted: true, reason: "only the shape of the answers was tested" } as const;
    expect((await filed(reportOf({ answers: shape }))).state).toBe("evidenced");
  });

  it("leaves what a human rejected as it is", async () => {
    const proposal = await filed();
    const rejected = await recordDecision(proposal, { event: "reject", comment: "not now" }, own.proposals, human());
    expect(rejected).toMatchObject({ ok: true, value: { state: "rejected", decided_by: "key_1", comment: "not now" } });
    expect(await filed(reportOf({ id: "bo_2" }))).toMatchObject({ state: "rejected", evidence: { bakeoff: "bo_1" } });
  });

  it("is expired from the instant of its expiry, and evidenced again by a new bake-off", async () => {
    const proposal = await filed();
    const end = Date.parse(proposal.expires_at);
    expect(asOf(proposal, end - 1).state).toBe("evidenced");
    expect(asOf(proposal, end).state).toBe("expired");
    const late = await recordDecision(proposal, { event: "approve" }, own.proposals, human(end));
    expect(late).toMatchObject({ ok: false, error: { code: "proposal_state" } });
    expect(asOf(await filed(reportOf({ id: "bo_2" }), end), end).state).toBe("evidenced");
  });

  it("is seen by its own org only", async () => {
    const proposal = await filed();
    const other = store.forOrg("org_2");
    expect(await other.proposals.get(proposal.id)).toBeUndefined();
    expect(await other.proposals.list({ limit: 10 })).toEqual([]);
    expect(await other.proposals.change(proposal.id, { from: "evidenced", to: "approved" }, human())).toBe(false);
  });
});

describe("approving a swap", () => {
  it("records it with the incumbent's baseline and approves its proposal", async () => {
    const proposal = await filed();
    const result = await swapped(proposal);
    expect(result).toMatchObject({
      ok: true,
      value: {
        state: "approved",
        variant: "cheap",
        direction: "down",
        baseline: { bakeoff: "bo_1", incumbent: { arm: "default", effective: { usd_per_1k: 5 } } },
        ...patch,
      },
    });
    expect(result.ok && (await own.swaps.get(result.value.id))).toEqual(result.ok && result.value);
    expect(await own.proposals.get(proposal.id)).toMatchObject({ state: "approved", decided_by: "key_1" });
  });

  it("is done once: again, or many times at once, answers the swap there is", async () => {
    const proposal = await filed();
    const all = await Promise.all(Array.from({ length: 6 }, () => swapped(proposal)));
    expect(new Set(all.map((result) => result.ok && result.value.id)).size).toBe(1);
    expect(await own.swaps.list({ limit: 10 })).toHaveLength(1);
  });

  it("supersedes the route's other open proposals: their baseline is gone", async () => {
    const [first, second] = [await filed(), await filed(reportOf({}, {}, "small"))];
    const elsewhere = await filed(reportOf({ route: "acme.other" }));
    await swapped(second);
    expect((await own.proposals.get(first.id))?.state).toBe("superseded");
    expect((await own.proposals.get(elsewhere.id))?.state).toBe("evidenced");
  });

  for (const event of ["reject", "supersede", "expire"] as const) {
    it(`is refused after ${event}`, async () => {
      const proposal = await filed();
      if (event === "reject") await recordDecision(proposal, { event }, own.proposals, human());
      if (event === "supersede") await swapped(await filed(reportOf({}, {}, "small")));
      const current = (await own.proposals.get(proposal.id)) ?? proposal;
      const at = event === "expire" ? NOW + 31 * DAY : NOW;
      expect(await swapped(current, at)).toMatchObject({ ok: false, error: { code: "proposal_state" } });
    });
  }

  it("is refused, with nothing written, when the proposal was decided after it was read", async () => {
    const proposal = await filed();
    await recordDecision(proposal, { event: "reject" }, own.proposals, human());
    expect(await swapped(proposal)).toMatchObject({ ok: false, error: { code: "proposal_changed" } });
    expect(await own.swaps.list({ limit: 10 })).toEqual([]);
    expect((await own.proposals.get(proposal.id))?.state).toBe("rejected");
  });

  it("is reverted once, and keeps its baseline", async () => {
    const result = await swapped(await filed());
    if (!result.ok) throw new Error(result.error.message);
    expect(await own.swaps.change(result.value.id, "revert", human(NOW + 5))).toBe(true);
    expect(await own.swaps.change(result.value.id, "revert", { by: "key_2", at: NOW + 9 })).toBe(false);
    expect(await own.swaps.get(result.value.id)).toMatchObject({
      state: "reverted",
      reverted_by: "key_1",
      reverted_at: new Date(NOW + 5).toISOString(),
      baseline: result.value.baseline,
    });
  });

  it("is not carried out again once it was taken back; proven again it is a proposal of its own", async () => {
    const proposal = await filed();
    const result = await swapped(proposal);
    if (!result.ok) throw new Error(result.error.message);
    await own.swaps.change(result.value.id, "revert", human(NOW + 5));
    expect(await swapped(proposal)).toMatchObject({ ok: false, error: { code: "swap_reverted" } });
    const again = await filed(reportOf({ id: "bo_2" }), NOW + DAY);
    expect(again.id).not.toBe(proposal.id);
    expect(again.state).toBe("evidenced");
    const second = await swapped(again);
    expect(second).toMatchObject({ ok: true, value: { state: "approved" } });
    if (second.ok) expect(second.value.id).not.toBe(result.value.id);
  });

  it("leaves a trace of every change in the audit log", async () => {
    const result = await swapped(await filed());
    if (result.ok) await own.swaps.change(result.value.id, "revert", human());
    const actions = (await own.audit.list(20)).map(({ action }) => action).reverse();
    expect(actions).toEqual(["proposal.filed", "swap.approved", "proposal.approved", "swap.reverted"]);
  });
});

describe("an approved swap", () => {
  const FILE = `route: acme.task
candidates:
  - { provider: sim, model: atlas-small }
  - { provider: sim, model: atlas-large }
variants:
  - name: large
    candidates: [{ provider: sim, model: atlas-large }]
`;
  const gateway = { by: "gateway", at: NOW + DAY };

  async function approved(promise: Partial<typeof promised> = {}): Promise<string> {
    const route = narrowed(await routeOf(FILE));
    const kept = { ...patch, promised: { ...promised, serves: await servedDigest(route), ...promise } };
    const result = await approveSwap(await filed(), kept, own.swaps, human(), newId);
    if (!result.ok) throw new Error(result.error.message);
    return result.value.id;
  }
  const narrowed = (route: Route, variant = "default") => {
    const found = narrow(route, variant);
    if (!found.ok) throw new Error(found.error.message);
    return found.value;
  };
  const settled = async (file: string | undefined, variant = "default", actor = gateway) => {
    const route = file === undefined ? undefined : narrowed(await routeOf(file), variant);
    return await settleSwaps(own.swaps, async () => route, actor);
  };
  const stateOf = async (id: string) => (await own.swaps.get(id))?.state;

  it("serves once the gateway serves what was promised, and says since when", async () => {
    const id = await approved();
    expect(await settled(FILE)).toBe(1);
    expect(await own.swaps.get(id)).toMatchObject({
      state: "serving",
      serving_since: new Date(gateway.at).toISOString(),
    });
    expect(await settled(FILE)).toBe(0);
  });

  it.each([
    ["another description", `description: Summaries of tickets.\n${FILE}`],
    [
      "comments and another order of keys",
      FILE.replace("{ provider: sim, model: atlas-small }", "{ model: atlas-small, provider: sim } # applied"),
    ],
  ])("serves also with %s, which change nothing that is served", async (_what, file) => {
    const id = await approved();
    await settled(file);
    expect(await stateOf(id)).toBe("serving");
  });

  it.each([
    ["the old order of candidates", FILE.replace(/(.*small.*\n)(.*large.*\n)/, "$2$1"), "default"],
    ["other sampling", FILE.replace("atlas-small }", "atlas-small, params: { temperature: 0.9 } }"), "default"],
    ["a pin to another variant", FILE, "large"],
    ["no such route", undefined, "default"],
  ])("stays approved where the gateway serves %s", async (_what, file, variant) => {
    const id = await approved();
    expect(await settled(file, variant)).toBe(0);
    expect(await stateOf(id)).toBe("approved");
  });

  it("is abandoned after 30 days unseen, and what is proven then is a proposal of its own", async () => {
    const id = await approved();
    const proposal = (await own.swaps.get(id))?.proposal;
    await settled(undefined, "default", { by: "gateway", at: NOW + 30 * DAY - 1 });
    expect(await stateOf(id)).toBe("approved");
    await settled(undefined, "default", { by: "gateway", at: NOW + 30 * DAY });
    expect(await stateOf(id)).toBe("abandoned");
    const again = await filed(reportOf({ id: "bo_2" }), NOW + 31 * DAY);
    expect(again).toMatchObject({ state: "evidenced" });
    expect(again.id).not.toBe(proposal);
  });

  it("cannot be served, abandoned or reverted once it was closed", async () => {
    const id = await approved();
    await own.swaps.change(id, "revert", human());
    for (const event of ["serve", "abandon", "revert"] as const)
      expect(await own.swaps.change(id, event, gateway)).toBe(false);
    expect(await stateOf(id)).toBe("reverted");
  });

  it("serves and is not abandoned by gateways that look at the same time", async () => {
    const id = await approved();
    const late = { by: "gateway", at: NOW + 40 * DAY };
    await Promise.all([settled(FILE, "default", late), settled(FILE, "default", late)]);
    expect(await stateOf(id)).toBe("serving");
    expect((await own.audit.list(20)).filter(({ action }) => action === "swap.serving")).toHaveLength(1);
  });

  it("keeps since when it served after it was reverted", async () => {
    const id = await approved();
    await settled(FILE);
    await own.swaps.change(id, "revert", human(NOW + 3 * DAY));
    expect(await own.swaps.get(id)).toMatchObject({
      state: "reverted",
      serving_since: new Date(gateway.at).toISOString(),
    });
  });
});

describe("a report", () => {
  it("is kept by its id, the newer one in the older one's place", async () => {
    await own.bakeoffs.put(reportOf({ partial: true }), human());
    await own.bakeoffs.put(reportOf(), human());
    expect(await own.bakeoffs.get("bo_1")).toEqual(reportOf());
    expect(await own.bakeoffs.list({ limit: 10 })).toEqual([
      { id: "bo_1", route: "acme.task", finishedAt: NOW, partial: false, proposes: "cheap" },
    ]);
    expect(await store.forOrg("org_2").bakeoffs.get("bo_1")).toBeUndefined();
  });
});
