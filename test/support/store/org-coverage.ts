/**
 * What each repository of an org is put through to show that orgs do not see one another. Names are on purpose the same in
 * every org: what one may not see is told by the org alone.
 */
import type { LookRecord } from "../../../src/bakeoff/evidence/look-record.ts";
import type { Sample } from "../../../src/bakeoff/execution/sample.ts";
import type { HostedPlan } from "../../../src/bakeoff/hosted/hosted-plan.ts";
import type { BakeoffReport } from "../../../src/bakeoff/report/bakeoff-report.ts";
import { nanoUsd } from "../../../src/money/nano-usd.ts";
import { fromRow, type ProbedRow } from "../../../src/registry/record.ts";
import { gradeSubject } from "../../../src/runs/grade.ts";
import type { ExportPage } from "../../../src/store/orgs/org-data.ts";
import type { OrgStore, Store } from "../../../src/store/store.ts";
import { recordOf } from "../../../src/telemetry/record.ts";
import { armFigures, evidenceFigures } from "../bakeoff/bakeoff-figures.ts";
import { anAttempt, anInference } from "./inferences.ts";

export const WORDS = ["x", "y", "z"] as const;
export type Word = (typeof WORDS)[number];
export type RepositoryName = Exclude<keyof OrgStore, "org">;

export interface Doing {
  readonly store: Store;
  readonly own: OrgStore;
  /** Every org there is, whose rows an act may reach for. */
  readonly orgs: readonly string[];
  readonly word: Word;
  /** Epoch milliseconds, and unlike that of any other act. */
  readonly at: number;
}

export interface Coverage {
  /** Every change the repository can make, with an id of `word`. */
  readonly act: (doing: Doing) => Promise<unknown>;
  /** All that the repository can be made to say. */
  readonly see: (own: OrgStore) => Promise<unknown>;
}

const ALL = undefined;
const HOUR = 3_600_000;
const each = <T>(ask: (word: Word) => Promise<T>): Promise<T[]> => Promise.all(WORDS.map(ask));

/** A call to what the repository under test is made of. */
async function arrive({ store, own, word, at }: Doing): Promise<void> {
  const attempts = [anAttempt({ id: `att_${word}` })];
  const call = anInference({
    org: own.org,
    keyId: own.org,
    id: word,
    route: "same",
    run: word,
    startedAt: at,
    attempts,
  });
  await store.telemetry.insertInferences([recordOf(call)]);
}

function reportOf(word: Word, at: number, org: string): BakeoffReport {
  const time = new Date(at).toISOString();
  const told = { id: word, route: "same", started_at: time, finished_at: time, partial: false, gate: { reason: org } };
  // The store looks at no more of it.
  return told as unknown as BakeoffReport;
}

const capabilityOf = (word: Word, at: number, org: string): ProbedRow =>
  fromRow({
    provider: "same",
    model: word,
    capability: "coached",
    n: 40,
    passed: 39,
    measured_at: new Date(at).toISOString(),
    cost_usd: "0.1",
    simulated: true,
    method: org,
  });

const HASHES = { x: "a".repeat(64), y: "b".repeat(64), z: "c".repeat(64) } as const;

const proposalOf = (word: Word, at: number) => ({
  id: word,
  kind: "bakeoff" as const,
  trigger: "manual_challenger" as const,
  triggerHash: HASHES[word],
  route: "same",
  createdAt: at,
  expiresAt: at + 1_000,
  evidence: evidenceFigures(),
  state: "evidenced" as const,
});

const incumbent = armFigures("default", { role: "incumbent" });
const swapOf = (word: Word, at: number, by: string) => ({
  id: word,
  state: "approved" as const,
  proposal: word,
  route: "same",
  variant: "cheap",
  direction: "down" as const,
  baseline: { bakeoff: "b", measured_at: new Date(at).toISOString(), route_hash: "h", incumbent },
  path: "p",
  patch: "d",
  promised: null,
  approved_at: new Date(at).toISOString(),
  approved_by: by,
});

function hostedPlanOf(org: string, at: number): HostedPlan {
  return {
    journal: {
      ...{
        id: "same",
        route: "same",
        route_hash: "h",
        variants: [org],
        incumbent: "default",
        asked: 1,
        sampling: org,
        representative: true,
      },
      ...{ budget_nano: nanoUsd(at), judge_day_nano: nanoUsd(0), concurrency: 1, seed: 1, keep_outputs: 0 },
      started_at: new Date(at).toISOString(),
    },
    inputs: [{ id: "answered", at, kind: "variables", question: "answered" }],
    key: { id: org, tags: {} },
    digest: org,
    from: 0,
  };
}

const sampleOf = (input: string, cost: number): Sample => ({
  ...{ arm: "same", input, outcome: input === "refused" ? "refused" : "conformant", cost: nanoUsd(cost) },
  ...{ costEstimated: false, repairCost: nanoUsd(0), latencyMs: cost, attempts: 1, simulated: true },
});

function lookOf(bakeoff: string, at: number): LookRecord {
  return {
    version: 1,
    route: "same",
    bakeoff,
    at,
    questions: [],
    weights: [],
    members: [],
    clusters: [],
    comparisons: [],
  };
}

const subjectsOf = (word: Word) => gradeSubject.shape.kind.options.map((kind) => ({ kind, id: word }));
const deedOf = ({ own, at }: Doing) => ({ by: own.org, at });

export const COVERAGE: { readonly [Name in RepositoryName]?: Coverage } = {
  keys: {
    act: async (doing) => {
      const { store, own, orgs, word, at } = doing;
      const permissions = { scopes: ["call"], fixedTags: {} } as const;
      const key = { keyId: `${own.org}_${word}_${at}`, hash: `hash_${at}`, display: "rig_sk_…abc", ...permissions };
      await own.keys.create(key, deedOf(doing));
      // Tries every key there is, the other org's too.
      for (const org of orgs) {
        for (const { keyId } of await store.forOrg(org).keys.list()) {
          if (keyId.includes(`_${word}_`)) await own.keys.revoke(keyId, deedOf(doing));
        }
      }
    },
    see: ({ keys }) => keys.list(),
  },
  inferences: {
    act: async (doing) => {
      await arrive(doing);
      const bill = { ...deedOf(doing), action: "envelope.adjusted", subject: doing.word };
      await doing.own.inferences.correctBill(`att_${doing.word}`, nanoUsd(7), bill);
    },
    see: async ({ inferences }) => ({
      listed: await inferences.list({ limit: 1_000 }, ALL),
      ofRoute: await inferences.list({ route: "same", limit: 1_000 }, ALL),
      one: await each((word) => inferences.get(word, ALL)),
      usage: await inferences.usage(0, 1e15),
      costs: [...(await inferences.attemptCosts(WORDS.map((word) => `att_${word}`)))],
    }),
  },
  routePins: {
    act: (doing) => doing.own.routePins.pin("same", doing.word, deedOf(doing)),
    see: async ({ routePins }) => ({ current: await routePins.current(), history: await routePins.history("same") }),
  },
  bakeoffs: {
    act: (doing) => doing.own.bakeoffs.put(reportOf(doing.word, doing.at, doing.own.org), deedOf(doing)),
    see: async ({ bakeoffs }) => ({
      listed: await bakeoffs.list({ limit: 1_000 }),
      one: await each((word) => bakeoffs.get(word)),
    }),
  },
  proposals: {
    act: async (doing) => {
      const { proposals, org } = doing.own;
      const deed = deedOf(doing);
      await proposals.insert(proposalOf(doing.word, doing.at), org);
      await proposals.change(doing.word, { from: "evidenced", to: "rejected", comment: org }, deed);
      await proposals.supersede({ id: "none", route: "same", variant: "cheap" }, deed);
      await proposals.expire({ by: org, at: doing.at + 10_000 });
    },
    see: async ({ proposals }) => ({
      listed: await proposals.list({ limit: 1_000 }),
      one: await each((word) => proposals.get(word)),
      found: await each((word) => proposals.findByTrigger("same", HASHES[word])),
    }),
  },
  swaps: {
    act: async (doing) => {
      const { own, word, at } = doing;
      await own.proposals.insert(proposalOf(word, at), own.org);
      await own.swaps.approve({ swap: swapOf(word, at, own.org), approveFrom: "evidenced" });
      await own.swaps.change(word, "serve", deedOf(doing));
    },
    see: async ({ swaps }) => ({
      listed: await swaps.list({ limit: 1_000 }),
      awaited: await swaps.awaited(),
      one: await each((word) => swaps.get(word)),
      found: await each((word) => swaps.findByProposal(word)),
    }),
  },
  runs: {
    act: async (doing) => {
      const { own, word, at } = doing;
      await own.runs.start([{ id: word, pipeline: own.org, episodeKey: "same", startedAt: at }], deedOf(doing));
      await own.runs.end([{ id: word, status: "failed", endedAt: at }], deedOf(doing));
      await arrive(doing);
    },
    see: async ({ runs }) => ({
      listed: await runs.list({ limit: 1_000 }, ALL),
      one: await each((word) => runs.get(word, ALL)),
      steps: await each((word) => runs.steps(word, ALL)),
    }),
  },
  artifacts: {
    act: async (doing) => {
      const { own, word, at } = doing;
      const artifact = { id: word, run: word, name: own.org, type: "prompt" as const, json: false, createdAt: at };
      await own.artifacts.save([{ ...artifact, hash: "h", bytes: 1, content: own.org }], deedOf(doing));
      const links = WORDS.map((source) => ({
        artifact: word,
        source,
        relation: "derived_from" as const,
        createdAt: at,
      }));
      await own.artifacts.link(links, deedOf(doing));
    },
    see: async ({ artifacts }) => ({
      one: await each((word) => artifacts.get(word, ALL)),
      ofRun: await each((word) => artifacts.ofRun(word, ALL)),
      links: await artifacts.linksOf(WORDS, ALL),
      origins: await each((word) => artifacts.origins(word, ALL)),
    }),
  },
  grades: {
    act: async (doing) => {
      const { own, word, at } = doing;
      const given = subjectsOf(word).map((subject) => ({
        ...{ id: `${subject.kind}_${word}`, subject, score: 1, kind: "human" as const },
        ...{ grader: own.org, createdAt: at },
      }));
      await arrive(doing);
      await own.grades.record(given, deedOf(doing));
    },
    see: async ({ grades }) => ({
      ofRun: await each((word) => grades.ofRun({ id: word, episodeKey: "same" }, ALL)),
      of: await each((word) => Promise.all(subjectsOf(word).map((subject) => grades.of(subject, ALL)))),
      known: [...(await grades.known(WORDS.flatMap(subjectsOf), ALL))].sort(),
    }),
  },
  evalCases: {
    act: async (doing) => {
      const { own, word, at } = doing;
      const input = { kind: "variables" as const, variables: { org: own.org } };
      const made = { task: "same", input, expected: own.org, corrected: false, origin: "manual" as const };
      await own.evalCases.insert({ id: word, ...made, createdAt: at }, deedOf(doing));
      if (word === "x") await own.evalCases.archive(word, deedOf(doing));
    },
    see: async ({ evalCases }) => ({
      listed: await evalCases.list({ task: "same", archived: true, limit: 1_000 }),
      one: await each((word) => evalCases.get(word)),
      some: (await evalCases.withIds(WORDS)).toSorted((a, b) => (a.id < b.id ? -1 : 1)),
    }),
  },
  settings: {
    act: (doing) =>
      doing.own.settings.put({ custody: "content", artifactMaxBytes: doing.at, retentionDays: 1 }, deedOf(doing)),
    see: ({ settings }) => settings.get(),
  },
  capabilities: {
    act: ({ own, word, at }) => own.capabilities.add([capabilityOf(word, at, own.org)], { by: own.org, at }),
    see: (own) => own.capabilities.newest(),
  },
  rollups: {
    act: async (doing) => {
      await arrive(doing);
      await doing.own.rollups.rollUp(0);
    },
    see: async ({ rollups }) => ({
      stale: await rollups.staleHours(1e15, 100),
      lag: await rollups.lag(),
      served: await rollups.servedSince("same", "default", 0),
    }),
  },
  retention: {
    act: async (doing) => {
      const { retention, rollups } = doing.own;
      await arrive(doing);
      if (doing.word !== "x") return;
      await rollups.rollUp(0);
      await retention.advance(HOUR);
      await retention.moveRaw(100, deedOf(doing));
      await retention.forgetArtifacts(HOUR, 100, deedOf(doing));
    },
    see: ({ rollups }) => rollups.servedSince("same", "default", 0),
  },
  responses: {
    act: async (doing) => {
      const { own, word, at } = doing;
      const { responses } = own;
      await own.settings.put({ custody: "content", artifactMaxBytes: 1 }, deedOf(doing));
      const sealed = { key: "k", text: own.org };
      const row = { id: word, reach: "same", keyId: own.org, createdAt: at, expiresAt: at + 1_000, sealed };
      await responses.keep({ ...row, previous: word === "x" ? undefined : "x" }, [`msg_${word}`, "shared"], WORDS);
      if (word === "y") await responses.delete("z", deedOf(doing));
      if (word === "z") await responses.expire(at - 10, 1);
    },
    see: async ({ responses }) => ({
      some: await responses.some(WORDS, 0),
      chains: await each((word) => responses.chain(word, 0, 1_000)),
      holders: await responses.holders(["shared", ...WORDS.map((word) => `msg_${word}`)], 0),
      allowed: await responses.allowed(),
    }),
  },
  audit: {
    act: (doing) => doing.own.audit.add({ ...deedOf(doing), action: "test.done", subject: doing.word }),
    see: async ({ audit }) => ({ listed: await audit.list(1_000), paged: await audit.page({ limit: 1_000 }) }),
  },
  bakeoffSamples: {
    act: async (doing) => {
      const kept = doing.own.bakeoffSamples.of(doing.word);
      await kept.put([{ input: "same", arm: "cheap", request: "{}", output: doing.own.org }], deedOf(doing));
      if (doing.word === "x") await kept.delete(deedOf(doing));
    },
    see: ({ bakeoffSamples }) => each((word) => bakeoffSamples.of(word).list()),
  },
  hostedBakeoffs: {
    act: async (doing) => {
      const { own, word, at } = doing;
      const { hostedBakeoffs: hosted } = own;
      await hosted.create(
        { id: word, route: "same", plan: hostedPlanOf(own.org, at), planned: at, createdAt: at },
        deedOf(doing),
      );
      await hosted.move(word, ["queued"], "running", deedOf(doing));
      await hosted.keep(word, sampleOf("answered", at));
      await hosted.keep(word, sampleOf("refused", at));
      await hosted.handOver(word, at);
      if (word === "x") await hosted.move(word, ["running"], "failed", { ...deedOf(doing), error: own.org });
    },
    see: async ({ hostedBakeoffs }) => ({
      one: await each((word) => hostedBakeoffs.get(word)),
      progress: await each((word) => hostedBakeoffs.progress(word)),
      samples: await each((word) => hostedBakeoffs.samples(word)),
      some: await each((word) => hostedBakeoffs.samples(word, ["answered"])),
      refused: await each((word) => hostedBakeoffs.refused(word)),
    }),
  },
  evidence: {
    act: async ({ own, word, at }) => {
      await own.evidence.salt();
      await own.evidence.record(lookOf(word, at));
    },
    see: async ({ evidence }) => ({ looks: await each((word) => evidence.upTo("same", word)) }),
  },
  data: {
    act: async (doing) => {
      const { own, word } = doing;
      await own.data.erase(word === "x" ? undefined : HOUR, deedOf(doing), () => true);
    },
    see: async ({ data }) => {
      const pages: ExportPage[] = [];
      for (let next: string | undefined, first = true; first || next !== undefined; first = false) {
        const page = await data.page(next);
        if (page) pages.push(page);
        next = page?.next;
      }
      return pages;
    },
  },
  queries: {
    act: arrive,
    see: async ({ queries }) => {
      const now = () => HOUR;
      const ask = (from: string) => queries.ask(`SELECT count(*) FROM ${from}`, ALL, { now });
      const answers = await Promise.all(["inferences", "attempts", "runs", "grades"].map(ask));
      return answers.map((answer) => (answer.ok && "rows" in answer.value ? answer.value.rows : answer));
    },
  },
};
