import { afterEach, expect, inject, test } from "vitest";
import { usdToNano } from "../../../src/money/nano-usd.ts";
import { openGateway, route, upstreamProvider, user } from "../gateway.ts";

// A call of `m-1` reserves its input bytes at 1 $/M and 100 output tokens at 2 $/M: below 0.001 $, above 0.0002 $.
const routes = [
  route("budget.tiny", ["up/m-1"], { budget: { perDay: usdToNano("0.0001") } }),
  route("budget.day", ["up/m-1"], { budget: { perDay: usdToNano("0.001") } }),
  route("budget.call", ["up/m-1"], { budget: { perCall: usdToNano("0.0001") } }),
  route("budget.unpriced", ["up/echo"], { budget: { perDay: usdToNano(1) } }),
  route("budget.unpriced-allowed", ["up/echo"], { budget: { perDay: usdToNano(1) }, allowUnpriced: true }),
];
const gateway = openGateway({ routes, providers: [upstreamProvider("up", inject("upstreamUrl"))] });
afterEach(() => gateway.settled());

const ask = (model: string) => gateway.chat({ model, messages: user("hi"), max_tokens: 100 });
const error = async (response: Response) => ((await response.json()) as { error: Record<string, unknown> }).error;

test.each(["budget.tiny", "budget.call"])("%s can never fit a call, and says so with 402", async (model) => {
  const response = await ask(model);
  expect(response.status).toBe(402);
  expect(await error(response)).toMatchObject({ failure_class: "budget_exhausted", code: "envelope_too_small" });
});

test("a day's limit admits calls at once only as long as their worst cases fit, and never overshoots", async () => {
  const responses = await Promise.all(Array.from({ length: 12 }, () => ask("budget.day")));
  const admitted = responses.filter(({ status }) => status === 200).length;
  expect(admitted).toBeGreaterThan(0);
  expect(admitted).toBeLessThan(12);
  for (const response of responses.filter(({ status }) => status !== 200)) {
    expect(response.status).toBe(402);
    expect(await error(response)).toMatchObject({ code: expect.stringMatching(/^envelope_(busy|spent)$/) });
  }
});

test("a call without a price is refused by an envelope unless the route allows it", async () => {
  const refused = await ask("budget.unpriced");
  expect(refused.status).toBe(402);
  expect(await error(refused)).toMatchObject({ code: "unpriced" });
  expect((await ask("budget.unpriced-allowed")).status).toBe(200);
});

test("an envelope that cannot be reached refuses the call: nothing is sent unreserved", async () => {
  const broken = {
    getByName: () => ({
      reserve: () => Promise.reject(new Error("away")),
      release: () => Promise.reject(new Error("away")),
    }),
  };
  const cut = openGateway({
    routes,
    providers: [upstreamProvider("up", inject("upstreamUrl"))],
    env: { SPEND_ENVELOPES: broken },
  });
  const response = await cut.chat({ model: "budget.day", messages: user("hi"), max_tokens: 100 });
  expect(response.status).toBe(402);
  expect(await error(response)).toMatchObject({ code: "envelope_unreachable" });
});
