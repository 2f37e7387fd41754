/** Spend limits under concurrency and under everything that can go wrong between a reservation and its bill. */
import { env } from "cloudflare:workers";
import { afterEach, describe, expect, inject, test } from "vitest";
import type { SpendEnvelopes } from "../../../durable/spend-envelopes.ts";
import type { EnvelopeStatus } from "../../../src/envelope/envelope.ts";
import { nanoUsd, usdToNano } from "../../../src/money/nano-usd.ts";
import type { Price } from "../../../src/money/price.ts";
import type { ModelSpec } from "../../../src/provider/provider.ts";
import { openStore } from "../../../src/store/store.ts";
import type { Seen } from "../../support/upstreams/behaving-upstream.ts";
import { seededRandom } from "../durable/objects.ts";
import { candidate, type Gateway, openGateway, route, upstreamProvider, user } from "../gateway.ts";

/** Behaviours of the upstream; each is a model with a price. */
const MODELS = ["echo", "silent", "reset", "cut", "stall", "status-500", "status-429", "status-529"];
const PRICE: Price = { input: { base: 1, tiers: [] }, output: { base: 2, tiers: [] }, version: "test" };
const model = (id: string): ModelSpec => ({
  id,
  price: PRICE,
  contextWindow: 10_000,
  maxOutput: 100,
  capabilities: {},
});
const providers = [
  upstreamProvider("up", inject("upstreamUrl"), { models: Object.fromEntries(MODELS.map((id) => [id, model(id)])) }),
];
const none = { content_invalid: 0, network: 0, capacity_shed: 0, server_error: 0 };

const gateways: Gateway[] = [];
afterEach(async () => {
  for (const gateway of gateways.splice(0)) await gateway.settled();
}, 60_000);
function open(routes: Parameters<typeof openGateway>[0] & object): Gateway {
  const gateway = openGateway({ providers, ...routes });
  gateways.push(gateway);
  return gateway;
}

async function statusOf(name: string): Promise<EnvelopeStatus> {
  const envelopes = (env as unknown as { SPEND_ENVELOPES: DurableObjectNamespace<SpendEnvelopes> }).SPEND_ENVELOPES;
  const all = await envelopes.getByName(inject("org")).status();
  const found = all.find(({ id }) => id.includes(name));
  if (!found) throw new Error(`no envelope of ${name} among ${all.map(({ id }) => id).join(", ")}`);
  return found;
}

async function seen(marker: string): Promise<Seen> {
  return await (await fetch(`${inject("upstreamUrl")}/seen?marker=${marker}`)).json();
}

describe("a thousand concurrent calls", () => {
  test("are admitted only as long as their worst cases fit; the rest are told so, and nothing overshoots", async () => {
    const gateway = (limit: number) =>
      open({ routes: [route("money.k", ["up/silent"], { budget: { perDay: nanoUsd(limit) }, retry: none })] });
    const marker = `k-${crypto.randomUUID()}`;
    const leave = new AbortController();
    const ask = (on: Gateway, signal = leave.signal) =>
      on.chat({ model: "money.k", messages: user(marker), max_tokens: 100 }, { signal });

    // What one call reserves, by the book itself.
    const first = new AbortController();
    const measured = ask(gateway(usdToNano(1)), first.signal).catch(() => undefined);
    await expect.poll(async () => (await seen(marker)).requests.length, { timeout: 10_000 }).toBe(1);
    const worst = (await statusOf("money.k")).reserved;
    expect(worst).toBeGreaterThan(0);
    first.abort();
    await measured;
    await expect.poll(async () => (await statusOf("money.k")).reserved).toBe(0);
    const { spent: before } = await statusOf("money.k");

    const k = 7;
    const limit = before + Math.floor(worst * (k + 0.5));
    const under = gateway(limit);
    const refused: Response[] = [];
    const calls = Array.from({ length: 1_000 }, async () => {
      const response = await ask(under).catch(() => undefined);
      if (response && !leave.signal.aborted) refused.push(response);
    });
    const admitted = async () => (await seen(marker)).requests.length - 1;
    await expect.poll(async () => refused.length + (await admitted()), { timeout: 25_000, interval: 20 }).toBe(1_000);
    const held = await statusOf("money.k");
    expect(held).toMatchObject({ limit, spent: before, reserved: (await admitted()) * worst });
    expect(await admitted()).toBeGreaterThan(0);
    expect(await admitted()).toBeLessThanOrEqual(k);
    const codes = new Map<unknown, number>();
    for (const response of refused) {
      expect(response.status).toBe(402);
      expect(Number(response.headers.get("retry-after"))).toBeGreaterThan(0);
      const { error } = (await response.json()) as { error: Record<string, unknown> };
      expect(error).toMatchObject({ failure_class: "budget_exhausted" });
      codes.set(error["code"], (codes.get(error["code"]) ?? 0) + 1);
    }
    // On a slow machine the queue before the object can outlast the patience of a call, which is then refused as well.
    const { envelope_busy: busy = 0, envelope_unreachable: unreached = 0, ...others } = Object.fromEntries(codes);
    expect(others).toEqual({});
    expect(busy).toBeGreaterThan(0);
    console.log(
      `1000 calls at once on a limit of ${k} worst cases: ${await admitted()} admitted, ${busy} told it is busy, ${unreached} not answered in time; held ${held.reserved} of ${limit - before}`,
    );

    leave.abort();
    await Promise.all(calls);
    await expect.poll(async () => (await statusOf("money.k")).reserved).toBe(0);
    expect((await statusOf("money.k")).spent).toBeLessThanOrEqual(limit);
    expect(await admitted()).toBeLessThanOrEqual(k);
  });
});

/** What a call is answered whose client has gone. */
const LEFT = 499;

interface Chaos {
  readonly model: string;
  readonly stream: boolean;
  /** Milliseconds until the client leaves. */
  readonly leavesAfter: number | undefined;
}

describe.each([1, 2, 3])("random crashes, stalls, cuts, retries and departures (seed %i)", (seed) => {
  test("never hold or spend more than the limit, and add up in the end to what was recorded", async () => {
    const random = seededRandom(seed);
    const name = `money.chaos-${seed}`;
    const pick = () => MODELS[Math.floor(random() * MODELS.length)] ?? "echo";
    // Every behaviour as first candidate, with one that works behind it; all share the envelope of their org's month.
    const allowance = 6_000_000;
    const timeouts = { firstTokenMs: 120, idleMs: 120, attemptMs: 200, callMs: 2_000, streamMs: 2_000 };
    const retry = { content_invalid: 1, network: 1, capacity_shed: 1, server_error: 1 };
    const routes = MODELS.map((first) => {
      const candidates = [...new Set([first, "echo"])].map((id) => candidate(`up/${id}`));
      return route(`${name}.${first}`, candidates, { timeouts, retry });
    });
    const orgName = "org-month";
    const before = await statusOf(orgName).catch(() => ({ spent: 0, reserved: 0 }));
    const limit = before.spent + allowance;
    const gateway = open({ routes, config: { budget: { orgPerMonth: nanoUsd(limit) } } });

    const call = async ({ model: first, stream, leavesAfter }: Chaos): Promise<number> => {
      const signal = leavesAfter === undefined ? new AbortController().signal : AbortSignal.timeout(leavesAfter);
      const body = { model: `${name}.${first}`, messages: user(`chaos ${seed}`), max_tokens: 100, stream };
      const response = await gateway.chat(body, { signal });
      const left = new Promise<void>((resolve) => signal.addEventListener("abort", () => resolve()));
      const reader = response.body?.getReader();
      while (reader) {
        const next = await Promise.race([reader.read().catch(() => undefined), left]);
        if (next && !next.done) continue;
        if (next === undefined) await reader.cancel().catch(() => undefined);
        break;
      }
      return response.status;
    };
    let over = false;
    let looks = 0;
    const watch = async (): Promise<void> => {
      while (!over) {
        const status = await statusOf(orgName).catch(() => undefined);
        if (status) expect(status.spent + status.reserved).toBeLessThanOrEqual(limit);
        looks += 1;
        await new Promise((resolve) => setTimeout(resolve, 5));
      }
    };
    const watching = watch();
    const statuses: number[] = [];
    const clients = Array.from({ length: 24 }, async () => {
      for (let turn = 0; turn < 8; turn += 1) {
        const leavesAfter = random() < 0.25 ? Math.floor(random() * 150) : undefined;
        const chaos = { model: pick(), stream: random() < 0.5, leavesAfter };
        statuses.push(await call(chaos).catch(() => LEFT));
        await new Promise((resolve) => setTimeout(resolve, random() * 60));
      }
    });
    await Promise.all(clients);
    await gateway.settled();
    over = true;
    await watching;

    const books = await statusOf(orgName);
    const { inferences } = openStore({ url: inject("databaseUrl"), authToken: inject("databaseToken") }).forOrg(
      inject("org"),
    );
    const recorded = (
      await Promise.all(routes.map(({ name }) => inferences.list({ route: name, limit: 1_000 }, undefined)))
    ).flat();
    // An inference has no cost as soon as one attempt's is unknown; its attempts say what stands for each.
    const details = await Promise.all(recorded.map(({ id }) => inferences.get(id, undefined)));
    const attempts = details.flatMap((detail) => detail?.attempts ?? []);
    const total = attempts.reduce((sum, { costNano, reservedNano }) => sum + (costNano ?? reservedNano ?? 0), 0);
    console.log(
      `chaos ${seed}: ${statuses.length} calls, ${statuses.filter((it) => it === 402).length} refused, ` +
        `${statuses.filter((it) => it === LEFT).length} left, ${recorded.length} recorded, ` +
        `${recorded.filter(({ costNano }) => costNano === null).length} of unknown cost, spent ${books.spent - before.spent} of ${allowance}, ${looks} looks`,
    );
    expect(looks).toBeGreaterThan(5);
    expect(statuses.filter((it) => it === LEFT).length).toBeGreaterThan(0);
    expect(recorded).toHaveLength(statuses.length);
    expect(books.reserved).toBe(0);
    expect(books.spent).toBeLessThanOrEqual(limit);
    expect(attempts.every(({ costNano, reservedNano }) => (costNano === null) === (reservedNano !== null))).toBe(true);
    expect(books.spent - before.spent).toBe(total);
  });
});
