/** Calls made in a process of one's own and calls through the gateway draw on the same envelopes. */
import { env } from "cloudflare:workers";
import { afterEach, describe, expect, inject, test } from "vitest";
import type { SpendEnvelopes } from "../../../durable/spend-envelopes.ts";
import type { EnvelopeStatus } from "../../../src/envelope/envelope.ts";
import { nanoToUsdText, nanoUsd, usdToNano } from "../../../src/money/nano-usd.ts";
import { type Gateway, openGateway, route, upstreamProvider, user } from "../gateway.ts";
import { newKey, newOrg } from "../keys.ts";

const price = { input: { base: 1, tiers: [] }, output: { base: 2, tiers: [] }, version: "test" };
const model = { id: "echo", price, contextWindow: 10_000, maxOutput: 100, capabilities: {} };
const providers = [upstreamProvider("up", inject("upstreamUrl"), { models: { echo: model } })];
const DAY_LIMIT = usdToNano("0.01");

const opened: Gateway[] = [];
const open = (key: string, more: Partial<Parameters<typeof openGateway>[0] & object> = {}): Gateway => {
  const budget = { perDay: DAY_LIMIT, perRun: usdToNano("0.002") };
  const routes = [route("env.limited", ["up/echo"], { budget }), route("env.free", ["up/echo"])];
  const gateway = openGateway({ key, providers, routes, ...more });
  opened.push(gateway);
  return gateway;
};
afterEach(async () => {
  for (const gateway of opened.splice(0)) await gateway.settled();
});

const post = (gateway: Gateway, action: string, body: unknown) =>
  gateway.fetch(`/v1/envelopes/${action}`, { method: "POST", body: JSON.stringify(body) });

let reservations = 0;
const reserve = (gateway: Gateway, more: Readonly<Record<string, unknown>> = {}) => {
  reservations += 1;
  const body = {
    reservation_id: `att-${reservations}`,
    worst_case_usd: "0.001",
    scopes: ["route-day"],
    route: "env.limited",
  };
  return post(gateway, "reserve", { ...body, ...more });
};

async function statusOf(org: string): Promise<readonly EnvelopeStatus[]> {
  const { SPEND_ENVELOPES } = env as unknown as { SPEND_ENVELOPES: DurableObjectNamespace<SpendEnvelopes> };
  return await SPEND_ENVELOPES.getByName(org).status();
}

describe("POST /v1/envelopes/reserve", () => {
  test("holds the worst case under the gateway's own limits; settle books the bill, release hands it back", async () => {
    const { org, key } = await newOrg();
    const gateway = open(key);
    const scopes = ["run", "route-day", "key-month", "org-month"];
    const granted = await reserve(gateway, { reservation_id: "att-a", scopes, run: "r1" });
    expect(granted.status).toBe(200);
    expect(await granted.json()).toMatchObject({
      granted: true,
      envelopes: [
        { scope: "run", id: "run:env.limited:r1", limit_usd: "0.002000000" },
        { scope: "route-day", limit_usd: "0.010000000", resets_at: expect.any(String) },
      ],
    });
    await reserve(gateway, { reservation_id: "att-b" });
    const day = async () => (await statusOf(org)).find(({ scope }) => scope === "route-day");
    expect(await day()).toMatchObject({ reserved: 2_000_000, spent: 0 });
    const settled = await post(gateway, "settle", { reservation_id: "att-a", actual_usd: "0.0004" });
    expect(await settled.json()).toEqual({ booked: true, known: true, overrun_usd: "0.000000000" });
    expect(await (await post(gateway, "release", { reservation_id: "att-b" })).json()).toMatchObject({ booked: true });
    expect(await day()).toMatchObject({ reserved: 0, spent: 400_000 });
    const again = await post(gateway, "settle", { reservation_id: "att-a", actual_usd: "0.0009" });
    expect(await again.json()).toMatchObject({ booked: false, known: true });
    expect(await day()).toMatchObject({ reserved: 0, spent: 400_000 });
  });

  test("an unknown bill counts whole, and one above its reservation is told", async () => {
    const { org, key } = await newOrg();
    const gateway = open(key);
    await reserve(gateway, { reservation_id: "whole" });
    await post(gateway, "settle", { reservation_id: "whole", actual_usd: null });
    await reserve(gateway, { reservation_id: "over" });
    const over = await post(gateway, "settle", { reservation_id: "over", actual_usd: "0.003" });
    expect(await over.json()).toMatchObject({ booked: true, overrun_usd: "0.002000000" });
    // A client's word books no more than it reserved.
    expect(await statusOf(org)).toMatchObject([{ spent: 2_000_000, reserved: 0, overrun: 0 }]);
  });

  test("repeats of a reservation are one; another one under its id is a conflict", async () => {
    const { org, key } = await newOrg();
    const { key: other } = await newKey({ scopes: ["call"] }, org);
    const gateway = open(key);
    for (let n = 0; n < 2; n += 1) expect((await reserve(gateway, { reservation_id: "one" })).status).toBe(200);
    for (const [asker, more] of [
      [gateway, { worst_case_usd: "0.0011" }],
      [gateway, { scopes: ["route-day", "run"], run: "r1" }],
      [open(other), {}],
    ] as const) {
      const refused = await reserve(asker, { reservation_id: "one", ...more });
      expect(refused.status).toBe(409);
      expect(await refused.json()).toMatchObject({ error: { code: "reservation_conflict" } });
    }
    expect((await statusOf(org)).find(({ scope }) => scope === "route-day")).toMatchObject({ reserved: 1_000_000 });
  });

  test("only the key that made a reservation closes it", async () => {
    const { org, key } = await newOrg();
    const { key: other } = await newKey({ scopes: ["call"] }, org);
    await reserve(open(key), { reservation_id: "mine" });
    for (const [action, body] of [
      ["settle", { reservation_id: "mine", actual_usd: "0" }],
      ["release", { reservation_id: "mine" }],
    ] as const) {
      expect(await (await post(open(other), action, body)).json()).toMatchObject({ booked: false, known: false });
    }
    expect(await statusOf(org)).toMatchObject([{ spent: 0, reserved: 1_000_000 }]);
  });

  test("a key whose reach is limited holds what covers its calls, and nothing beside", async () => {
    const { org } = await newOrg();
    const { key } = await newKey({ scopes: ["call"], routes: ["env.limited"] }, org);
    const config = { budget: { orgPerMonth: usdToNano("7") } };
    const gateway = open(key, { config });
    for (const more of [{ route: undefined }, { route: undefined, model: "up/echo" }, { route: "env.free" }]) {
      const refused = await reserve(gateway, { scopes: ["org-month"], worst_case_usd: "7", ...more });
      expect(refused.status).toBe(403);
    }
    const drained = await reserve(gateway, { scopes: ["org-month"], worst_case_usd: "7" });
    expect(await drained.json()).toMatchObject({ error: { envelope: { scope: "route-day" } } });
    expect((await reserve(gateway, { scopes: ["org-month"] })).status).toBe(200);
    const scopes = (await statusOf(org)).map(({ scope, reserved }) => [scope, reserved]);
    expect(scopes).toEqual([
      ["org-month", 1_000_000],
      ["route-day", 1_000_000],
    ]);
  });

  test.each([
    ["envelope_too_small", "0.02", 0],
    ["envelope_spent", "0.005", 6],
    ["envelope_busy", "0.005", -6],
  ])("is refused as %s, with the figures and whether waiting helps", async (code, worst, thousandths) => {
    const { key } = await newOrg();
    const gateway = open(key);
    for (let n = 0; n < Math.abs(thousandths); n += 1) {
      await reserve(gateway, { reservation_id: `x-${n}` });
      const bill = { reservation_id: `x-${n}`, actual_usd: "0.001" };
      if (thousandths > 0) await post(gateway, "settle", bill);
    }
    const refused = await reserve(gateway, { worst_case_usd: worst });
    expect(refused.status).toBe(402);
    const { error } = (await refused.json()) as { error: Record<string, unknown> };
    expect(error).toMatchObject({
      ...{ code, failure_class: "budget_exhausted" },
      envelope: { scope: "route-day", limit_usd: "0.010000000", worst_case_usd: nanoToUsdText(usdToNano(worst)) },
    });
    expect(refused.headers.has("retry-after")).toBe(code === "envelope_busy");
    expect("resets_at" in error).toBe(code === "envelope_spent");
  });

  test("the key's and the org's months are the gateway's, under whatever scopes are asked", async () => {
    const { org } = await newOrg();
    const { key, keyId } = await newKey({ scopes: ["call"], monthlyLimit: usdToNano("0.5") }, org);
    const gateway = open(key, { config: { budget: { orgPerMonth: usdToNano("7") } } });
    const granted = await reserve(gateway, { scopes: ["org-month", "key-month"] });
    expect(await granted.json()).toMatchObject({
      envelopes: [
        { scope: "key-month", id: expect.stringContaining(keyId), limit_usd: "0.500000000" },
        { scope: "org-month", limit_usd: "7.000000000" },
      ],
    });
  });

  test("a replay pass carries its own limit", async () => {
    const { key } = await newOrg();
    const pass = { scopes: ["replay-pass"], replay_pass: { id: "bo_1", limit_usd: "0.0015" }, route: undefined };
    expect((await reserve(open(key), pass)).status).toBe(200);
    expect((await reserve(open(key), pass)).status).toBe(402);
  });

  test.each([
    [{ scopes: ["route-month"] }, 409, "limit_unknown"],
    [{ route: "env.free" }, 409, "limit_unknown"],
    [{ route: "env.unknown" }, 404, "model_not_found"],
    [{ scopes: ["run"] }, 400, "invalid_body"],
    [{ scopes: ["replay-pass"] }, 400, "invalid_body"],
    [{ scopes: ["judge-day"] }, 400, "invalid_body"],
    [{ scopes: [] }, 400, "invalid_body"],
    [{ worst_case_usd: "1e3" }, 400, "invalid_body"],
    [{ worst_case_usd: "-1" }, 400, "invalid_body"],
    [{ limit_usd: "100" }, 400, "invalid_body"],
  ])("refuses %o: nobody would keep that limit", async (more, status, code) => {
    const { org, key } = await newOrg();
    const response = await reserve(open(key), more);
    expect(response.status).toBe(status);
    expect(await response.json()).toMatchObject({ error: { code } });
    expect(await statusOf(org)).toEqual([]);
  });

  test("needs call, and reach of the route", async () => {
    const { org } = await newOrg();
    const { key: reader } = await newKey({ scopes: ["read", "ingest"] }, org);
    for (const action of ["reserve", "settle", "release"]) {
      expect((await post(open(reader), action, {})).status).toBe(403);
    }
    const { key: other } = await newKey({ scopes: ["call"], routes: ["other.*"] }, org);
    expect((await reserve(open(other))).status).toBe(403);
  });
});

test("calls through the gateway and reservations from elsewhere, all at once, never pass the limit together", async () => {
  const { org, key } = await newOrg();
  const gateway = open(key);
  let over = false;
  let looks = 0;
  const watching = (async () => {
    while (!over) {
      for (const { spent, reserved } of await statusOf(org)) expect(spent + reserved).toBeLessThanOrEqual(DAY_LIMIT);
      looks += 1;
      await new Promise((resolve) => setTimeout(resolve, 5));
    }
  })();
  const statuses: number[] = [];
  const elsewhere = Array.from({ length: 40 }, async (_, n) => {
    const reservation_id = `elsewhere-${n}`;
    const response = await reserve(gateway, { reservation_id, worst_case_usd: "0.0009" });
    statuses.push(response.status);
    if (response.status !== 200) return 0;
    if (n % 5 === 0) {
      await post(gateway, "release", { reservation_id });
      return 0;
    }
    await post(gateway, "settle", { reservation_id, actual_usd: "0.0003" });
    return 300_000;
  });
  const through = Array.from({ length: 40 }, async (_, n) => {
    const response = await gateway.chat({ model: "env.limited", messages: user(`call ${n}`), max_tokens: 100 });
    statuses.push(response.status);
    const cost = response.headers.get("x-modelrig-cost-usd");
    return response.status === 200 && cost !== null ? usdToNano(cost) : 0;
  });
  const bills = await Promise.all([...elsewhere, ...through]);
  await gateway.settled();
  over = true;
  await watching;
  const total = nanoUsd(bills.reduce<number>((sum, bill) => sum + bill, 0));
  expect(looks).toBeGreaterThan(1);
  expect(statuses).toContain(200);
  expect(statuses.filter((status) => status !== 200 && status !== 402)).toEqual([]);
  expect((await statusOf(org)).find(({ scope }) => scope === "route-day")).toMatchObject({ spent: total, reserved: 0 });
});

describe("the books of an org", () => {
  const unknown = async () => {
    const { org, key } = await newOrg();
    const { key: admin } = await newKey({ scopes: ["admin"] }, org);
    await reserve(open(key), { reservation_id: "att-lost" });
    await post(open(key), "settle", { reservation_id: "att-lost", actual_usd: null });
    const { key: caller } = await newKey({ scopes: ["call", "read"] }, org);
    return { org, key, caller, admin: open(admin) };
  };

  test("are listed and shown to an admin, with what is held as unknown", async () => {
    const { admin, caller } = await unknown();
    const list = (await (await admin.fetch("/v1/envelopes")).json()) as {
      envelopes: readonly { readonly id: string }[];
    };
    expect(list.envelopes).toMatchObject([
      { scope: "route-day", spent_usd: "0.001000000", reserved_usd: "0.000000000" },
    ]);
    const shown = await admin.fetch(
      `/v1/envelopes/reservations?envelope=${encodeURIComponent(list.envelopes[0]?.id ?? "")}`,
    );
    expect(await shown.json()).toMatchObject({
      unknown_usd: "0.001000000",
      reservations: [
        { reservation_id: "att-lost", state: "unknown", route: "env.limited", reserved_usd: "0.001000000" },
      ],
    });
    for (const path of ["/v1/envelopes", "/v1/envelopes/reservations?envelope=x"]) {
      expect((await open(caller).fetch(path)).status).toBe(403);
    }
  });

  test("are corrected by what the provider billed, once, and the correction is logged", async () => {
    const { admin, org } = await unknown();
    const bill = { reservation_id: "att-lost", billed_usd: "0.0002", bill: "invoice 2026-11, line 3" };
    const adjusted = await post(admin, "adjust", bill);
    expect(await adjusted.json()).toMatchObject({ reserved_usd: "0.001000000", billed_usd: "0.000200000" });
    expect(await statusOf(org)).toMatchObject([{ spent: 200_000, reserved: 0 }]);
    expect(await (await post(admin, "adjust", bill)).json()).toMatchObject({ error: { code: "bill_known" } });
    const audit = (await (await admin.fetch("/v1/audit")).json()) as { entries: readonly unknown[] };
    expect(audit.entries).toContainEqual(
      expect.objectContaining({
        action: "envelope.adjusted",
        subject: "att-lost",
        detail: expect.objectContaining({ bill: "invoice 2026-11, line 3" }),
      }),
    );
  });

  test("are left alone where the call is running, is not known, or no admin asks", async () => {
    const { admin, key, caller } = await unknown();
    await reserve(open(key), { reservation_id: "att-open" });
    const bill = { billed_usd: "0.0002", bill: "invoice" };
    for (const [gateway, reservation, status] of [
      [admin, "att-open", 409],
      [admin, "att-none", 404],
      [open(caller), "att-lost", 403],
    ] as const) {
      expect((await post(gateway, "adjust", { reservation_id: reservation, ...bill })).status).toBe(status);
    }
  });
});
