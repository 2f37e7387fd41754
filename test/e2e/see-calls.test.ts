/** From a call to its line, its attempts and its cost, by the commands that show them. */
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { main } from "../../src/cli/main.ts";
import { type DevGateway, startGateway } from "../support/hosts/dev-gateway.ts";
import { fakeIo } from "../support/hosts/fake-io.ts";
import { CANDIDATES, NO_RETRY } from "../support/hosts/rig.ts";
import {
  completion,
  json,
  type ScriptedUpstream,
  startScriptedUpstream,
} from "../support/upstreams/scripted-upstream.ts";

let upstream: ScriptedUpstream;
let gateway: DevGateway;

beforeAll(async () => {
  upstream = await startScriptedUpstream();
  const price = { input_per_million: 1, output_per_million: 2 };
  const m = { price, context_window: 100_000, max_output: 100 };
  gateway = await startGateway({
    providers: { up: { dialect: "openai", base_url: upstream.baseUrl, models: { m } } },
    routes: { "a.text": { candidates: CANDIDATES, retry: NO_RETRY } },
  });
}, 120_000);
afterAll(async () => {
  await gateway?.dev.stop();
  await upstream?.close();
});

async function modelrig(...args: string[]) {
  const { url, key } = gateway.dev.ready;
  const io = fakeIo({ env: { MODELRIG_URL: url, MODELRIG_KEY: key, NO_COLOR: "1" }, cwd: gateway.dev.cwd });
  const exit = await main(args, io);
  return { exit, out: io.out(), err: io.err() };
}

async function call(client: string): Promise<string> {
  const headers = { "x-modelrig-tags": `client=${client}` };
  const response = await gateway.post({ model: "a.text" }, { headers });
  await response.text();
  return response.headers.get("x-modelrig-inference-id") ?? "no id";
}

/** Telemetry arrives after the answer. */
async function logged(ids: readonly string[]): Promise<readonly Record<string, unknown>[]> {
  for (;;) {
    const { out } = await modelrig("logs", "--json");
    const rows = out.split("\n").flatMap((line) => (line === "" ? [] : [JSON.parse(line) as Record<string, unknown>]));
    if (ids.every((id) => rows.some((row) => row["id"] === id))) return rows;
  }
}

describe("calls that were made", () => {
  it("are listed, shown and summed with the figures of the provider", { timeout: 120_000 }, async () => {
    upstream.script(completion("hello"));
    const first = await call("acme");
    upstream.script(json(503, { error: { message: "busy" } }));
    const second = await call("zeta");
    const rows = await logged([first, second]);
    expect(rows.map(({ id, failure_class }) => [id, failure_class])).toEqual([
      [first, null],
      [second, "capacity_shed"],
    ]);
    const failed = await modelrig("logs", "--filter", "failure_class IS NOT NULL", "--since", "1h", "--json");
    expect(failed.out.trim().split("\n")).toHaveLength(1);
    expect(failed.out).toContain(second);

    const shown = await modelrig("show", second);
    expect(shown.out).toContain("capacity_shed (503)");
    expect(shown.out).toContain("up/m");

    const { out } = await modelrig("cost", "--by", "tag.client", "--json");
    const { rows: sums } = JSON.parse(out) as { rows: (string | number | null)[][] };
    const acme = sums.find(([client]) => client === "acme");
    expect(acme?.at(-1)).toBe(rows[0]?.["cost"]);
    expect(sums.map(([client, calls]) => [client, calls])).toContainEqual(["zeta", 1]);
  });

  it("are refused by name where there is none, and a filter by the place in it", { timeout: 60_000 }, async () => {
    const unknown = await modelrig("show", "inf_nosuch");
    expect([unknown.exit, unknown.err]).toEqual([1, expect.stringContaining("no such inference")]);
    const wrong = await modelrig("logs", "--filter", "rout = 'x'");
    expect([wrong.exit, wrong.err]).toEqual([2, expect.stringContaining("did you mean route")]);
    expect((await modelrig("cost", "--by", "x; y")).exit).toBe(2);
  });
});
