/** `modelrig dev` killed outright at random moments: nothing of it goes on, and no call is paid for that the books do not know. */
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { afterEach, expect, test } from "vitest";
import { seededRandom } from "../../../src/stats/random.ts";
import { gatewayFolder } from "../../support/hosts/dev-gateway.ts";
import { type DevProcess, startDev } from "../../support/hosts/dev-process.ts";
import { startCountingUpstream } from "../../support/upstreams/counting-upstream.ts";

const KILLS = Number(process.env["MODELRIG_KILLS"] ?? 20);
const CLIENTS = 12;
const ROUTE = "desk.limited";
const DAY_LIMIT_USD = 0.2;

const closers: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const close of closers.splice(0).reverse()) await close();
});

function post({ ready }: DevProcess, path: string, body: unknown): Promise<Response> {
  return fetch(`${ready.url}${path}`, {
    method: "POST",
    headers: { authorization: `Bearer ${ready.key}`, "content-type": "application/json" },
    body: JSON.stringify(body),
  });
}

/** Nano-dollars spent and held of the route's day. */
async function booked({ ready }: DevProcess): Promise<number> {
  const response = await fetch(`${ready.url}/v1/envelopes`, { headers: { authorization: `Bearer ${ready.key}` } });
  const { envelopes } = (await response.json()) as {
    readonly envelopes: readonly {
      readonly scope: string;
      readonly spent_usd: string;
      readonly reserved_usd: string;
    }[];
  };
  return envelopes
    .filter(({ scope }) => scope === "route-day")
    .reduce((sum, one) => sum + Math.round((Number(one.spent_usd) + Number(one.reserved_usd)) * 1e9), 0);
}

test(`${KILLS} times: the provider's count stays within the books, and the books within the limit`, {
  timeout: KILLS * 60_000,
}, async () => {
  const random = seededRandom(11);
  const upstream = await startCountingUpstream();
  closers.push(upstream.close);
  const price = { input_per_million: 1, output_per_million: 2 };
  const models = { m: { context_window: 100_000, max_output: 50, price } };
  const how = ["ok", "sent.hang", "ok", "content.hang", "ok", "end.reset", "headers.hang", "sent.reset"];
  const turns = Array.from({ length: 8 }, () => how).flat();
  const cwd = gatewayFolder({
    providers: { up: { dialect: "openai", base_url: upstream.baseUrl(turns, "dev"), models } },
    routes: { [ROUTE]: { candidates: [{ provider: "up", model: "m" }], budget: { usd_per_day: DAY_LIMIT_USD } } },
  });
  const args = ["--db", join(cwd, "dev.db")];
  let dev = await startDev(args, { cwd });
  for (let kill = 0; kill < KILLS; kill += 1) {
    let over = false;
    const running = dev;
    const client = async (): Promise<void> => {
      while (!over) {
        const body = { model: ROUTE, stream: random() < 0.5, messages: [{ role: "user", content: "hello" }] };
        // A gateway that is gone is what is being tested.
        await post(running, "/v1/chat/completions", body)
          .then((answer) => answer.text())
          .catch(() => pause(10));
      }
    };
    const clients = Array.from({ length: CLIENTS }, client);
    await pause(50 + random() * 1_500);
    running.child.kill("SIGKILL");
    await expect
      .poll(() =>
        post(running, "/health", {}).then(
          () => "answers",
          () => "gone",
        ),
      )
      .toBe("gone");
    over = true;
    await Promise.all(clients);
    // Whatever the runtime had sent has arrived by now.
    await pause(200);
    const billed = upstream.billed("dev");
    dev = await startDev(args, { cwd });
    const after = await booked(dev);
    expect(upstream.billed("dev"), "nothing was sent after the end").toBe(billed);
    expect(after, `after ${kill + 1} kills`).toBeGreaterThanOrEqual(billed);
    expect(after).toBeLessThanOrEqual(DAY_LIMIT_USD * 1e9);
  }
  expect(upstream.billed("dev")).toBeGreaterThan(0);
  await dev.stop();
});
