import { createClient } from "@libsql/client/web";
import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { nanoUsd } from "../../../src/money/nano-usd.ts";
import { recordOf } from "../../../src/telemetry/record.ts";
import { localStore } from "../../support/hosts/local-database.ts";
import { anAttempt, anInference, inferences, someUsage } from "../../support/store/inferences.ts";

let local: Awaited<ReturnType<typeof localStore>>;
beforeAll(async () => {
  local = await localStore();
});
afterAll(async () => {
  local.store.close();
  await local.remove();
});

describe("telemetry in the database", () => {
  it("keeps every figure of an inference and of each attempt in a column of its own", async () => {
    const failed = anAttempt({
      id: "att_full_0",
      failure: { class: "capacity_shed", message: "busy", status: 429, code: "rate_limit_exceeded" },
      status: 429,
      usage: undefined,
      cost: nanoUsd(0),
    });
    const served = anAttempt({
      id: "att_full_1",
      index: 1,
      provider: "gemini",
      model: "gemini-3.1-flash-lite",
      servedTier: "flex",
      priceVersion: "modelrig.yaml",
      usage: someUsage({ inconsistent: true, estimated: true }),
      dropped: [{ field: "messages[].name", why: "no place for it" }],
    });
    const inference = anInference({
      id: "inf_full",
      arm: "cheap",
      served: { provider: "gemini", model: "gemini-3.1-flash-lite" },
      attempts: [failed, served],
      skipped: [{ candidate: "anthropic/claude", why: "trial", detail: "only replay may use it" }],
      costEstimated: true,
      simulated: true,
      stream: true,
    });
    await local.store.telemetry.insertInferences([recordOf(inference)]);
    const found = await local.store.forOrg("org_a").inferences.get("inf_full", undefined);
    expect(found?.inference).toMatchObject({
      ts: inference.startedAt,
      lane: "live",
      route: "example.summarize",
      routeHash: "ab".repeat(32),
      variant: "default",
      arm: "cheap",
      run: "run_1",
      step: "summarize",
      keyId: "key_1",
      provider: "gemini",
      model: "gemini-3.1-flash-lite",
      rung: "native_strict",
      stream: true,
      failureClass: null,
      conformant: true,
      attempts: 2,
      latencyMs: 420,
      firstByteMs: 120,
      inputTokens: 1_200,
      uncachedTokens: 200,
      cacheReadTokens: 1_000,
      cacheWriteTokens: 0,
      outputTokens: 90,
      reasoningTokens: 30,
      costNano: 412_500,
      estimated: true,
      tier: "flex",
      priceVersion: "modelrig.yaml",
      simulated: true,
      tags: { client: "acme" },
      skipped: [{ candidate: "anthropic/claude", why: "trial" }],
    });
    expect(found?.attempts).toMatchObject([
      { id: "att_full_0", failureClass: "capacity_shed", status: 429, code: "rate_limit_exceeded", inputTokens: null },
      { id: "att_full_1", usageInconsistent: true, usageEstimated: true, tier: "flex", dropped: ["messages[].name"] },
    ]);
  });

  it("keeps an unknown cost unknown, and zero zero", async () => {
    const unknown = anInference({ cost: undefined, attempts: [anAttempt({ cost: undefined, usage: undefined })] });
    const free = anInference({ cost: nanoUsd(0) });
    await local.store.telemetry.insertInferences([unknown, free].map(recordOf));
    const { inferences: rows } = local.store.forOrg("org_a");
    expect((await rows.get(unknown.id, undefined))?.inference).toMatchObject({ costNano: null, inputTokens: null });
    expect((await rows.get(free.id, undefined))?.inference.costNano).toBe(0);
  });

  it("keeps the first record of an id, whatever comes after it", async () => {
    const first = anInference({ latencyMs: 1 });
    await local.store.telemetry.insertInferences([recordOf(first)]);
    await local.store.telemetry.insertInferences([recordOf({ ...first, latencyMs: 2 }), recordOf(anInference())]);
    expect((await local.store.forOrg("org_a").inferences.get(first.id, undefined))?.inference.latencyMs).toBe(1);
  });

  it("keeps text as it is, also what looks like a number, JSON or SQL, and mends half a character", async () => {
    const texts = [
      "123",
      "1e5",
      "null",
      "true",
      '{"a":1}',
      "[1]",
      "it's; drop table inferences; --",
      "\\ud800",
      "🦀",
      "\ud83e",
    ];
    const batch = texts.map((route) => anInference({ route, tags: { [route]: route } }));
    await local.store.telemetry.insertInferences(batch.map(recordOf));
    const { inferences: rows } = local.store.forOrg("org_a");
    for (const { id, route } of batch) {
      const text = route?.toWellFormed() ?? "";
      expect((await rows.get(id, undefined))?.inference).toMatchObject({ route: text, tags: { [text]: text } });
    }
  });

  it("cuts no text at a U+0000, which it writes as what cannot be written", async () => {
    const inference = anInference({ route: "before\0after", step: "\\u0000" });
    await local.store.telemetry.insertInferences([recordOf(inference)]);
    const found = await local.store.forOrg("org_a").inferences.get(inference.id, undefined);
    expect(found?.inference).toMatchObject({ route: "before\ufffdafter", step: "\\u0000" });
  });

  it("stores any inference as it is, in batches of any size", async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(inferences(["org_p"]), { maxLength: 250 }), async (batch) => {
        await local.store.telemetry.insertInferences(batch.map(recordOf));
        const { inferences: rows } = local.store.forOrg("org_p");
        for (const inference of batch.slice(0, 5)) {
          const found = await rows.get(inference.id, undefined);
          expect(found?.inference).toMatchObject({
            route: inference.route ?? null,
            conformant: inference.conformant ?? null,
            costNano: inference.cost ?? null,
            tags: inference.tags,
            attempts: inference.attempts.length,
          });
          expect(found?.attempts.map(({ costNano }) => costNano)).toEqual(
            inference.attempts.map(({ cost }) => cost ?? null),
          );
        }
      }),
      { numRuns: 15 },
    );
  });

  it("holds no message of a failure, no raw usage, no key: canaries planted in each reach no row", async () => {
    const canary = "CANARY-rig-4711";
    const failure = {
      class: "bad_request",
      message: `upstream quoted ${canary}`,
      code: `${canary} in prose`,
      param: canary,
    } as const;
    await local.store.telemetry.insertInferences([
      recordOf(
        anInference({
          failure,
          finish: { unified: "other", raw: canary },
          attempts: [
            anAttempt({
              failure,
              finish: { unified: "other", raw: canary },
              usage: someUsage({ raw: { text: canary } }),
            }),
          ],
          skipped: [{ candidate: "a/b", why: "capability", detail: canary }],
        }),
      ),
    ]);
    const client = createClient(local.connection);
    const tables = await client.execute("select name from sqlite_schema where type = 'table'");
    for (const table of tables.rows) {
      const { rows } = await client.execute(`select * from "${table["name"]}"`);
      expect(JSON.stringify(rows)).not.toContain(canary);
    }
    client.close();
  });

  it("answers the cost of attempts that arrived, for reconciliation", async () => {
    const inference = anInference({
      attempts: [anAttempt({ id: "rec_1", cost: nanoUsd(7) }), anAttempt({ id: "rec_2", cost: undefined })],
    });
    await local.store.telemetry.insertInferences([recordOf(inference)]);
    const ids = ["rec_1", "rec_2", "rec_never", ...Array.from({ length: 3_000 }, (_, index) => `none_${index}`)];
    const costs = await local.store.forOrg("org_a").inferences.attemptCosts(ids);
    expect([...costs]).toEqual([
      ["rec_1", 7],
      ["rec_2", undefined],
    ]);
  });

  it("sums a span of time by lane, route, model and failure class", async () => {
    const at = 1_800_000_000_000;
    const common = { org: "org_sum", cost: nanoUsd(10), latencyMs: 5 };
    await local.store.telemetry.insertInferences(
      [
        anInference({ ...common, startedAt: at }),
        anInference({ ...common, startedAt: at + 1, cost: undefined }),
        anInference({ ...common, startedAt: at + 2, failure: { class: "network", message: "" }, served: undefined }),
        anInference({ ...common, startedAt: at + 100 }),
      ].map(recordOf),
    );
    const rows = await local.store.forOrg("org_sum").inferences.usage(at, at + 100);
    expect(rows).toMatchObject([
      { failureClass: "network", provider: undefined, inferences: 1, attempts: 1, costNanoUsd: 10n },
      { failureClass: undefined, provider: "openai", inferences: 2, attempts: 2, costNanoUsd: 10n, latencyMsTotal: 10 },
    ]);
  });

  it("finds its rows by index, not by reading the table", async () => {
    const client = createClient(local.connection);
    const plan = async (where: string) => {
      const { rows } = await client.execute(
        `explain query plan select * from inferences where ${where} order by ts desc`,
      );
      return rows.map((row) => row["detail"]).join("; ");
    };
    expect(await plan("org = 'a' and ts >= 1 and ts < 2")).toMatch(/^SEARCH inferences USING INDEX inferences_org_ts /);
    expect(await plan("org = 'a' and route = 'r' and ts >= 1")).toMatch(/^SEARCH .* inferences_org_route_ts /);
    expect(await plan("org = 'a' and run = 'r'")).toMatch(/^SEARCH .* inferences_org_run /);
    client.close();
  });
});
