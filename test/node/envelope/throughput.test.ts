import { fileURLToPath } from "node:url";
import { build } from "esbuild";
import { Miniflare } from "miniflare";
import { afterAll, beforeAll, describe, expect, it } from "vitest";

const worker = fileURLToPath(new URL("../../edge/durable/load-worker.ts", import.meta.url));
/** 1,000 pairs/s is the goal on a quiet machine; the floor leaves room for a busy one. */
const FLOOR = 250;

let workerd: Miniflare;

beforeAll(async () => {
  const { outputFiles } = await build({
    entryPoints: [worker],
    bundle: true,
    write: false,
    format: "esm",
    external: ["cloudflare:workers"],
  });
  workerd = new Miniflare({
    modules: true,
    script: outputFiles[0]?.text ?? "",
    compatibilityDate: "2026-07-30",
    durableObjects: { ENVELOPES: { className: "SpendEnvelopes", useSQLite: true } },
  });
});

afterAll(() => workerd.dispose());

const load = async (pairs: number, parallel: number): Promise<unknown> => {
  const body = JSON.stringify({ object: `${pairs}-${parallel}`, pairs, parallel });
  const response = await workerd.dispatchFetch("http://load.example/", { method: "POST", body });
  return response.json();
};

describe("one envelopes object under workerd", () => {
  it("keeps up with a busy org, and its books stay exact", async () => {
    await load(300, 50);
    const startedAt = performance.now();
    const pairs = 3_000;
    const status = await load(pairs, 100);
    const perSecond = Math.round(pairs / ((performance.now() - startedAt) / 1000));
    console.log(`envelopes: ${perSecond} reserve+settle pairs/s on one object, 100 at a time, two envelopes each`);
    const spent = pairs * 300;
    expect(status).toMatchObject([
      { id: "day", spent, reserved: 0, overrun: 0 },
      { id: "month", spent, reserved: 0, overrun: 0 },
    ]);
    expect(perSecond).toBeGreaterThan(FLOOR);
  });
});
