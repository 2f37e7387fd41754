/** Suites that take minutes: processes killed again and again, recorded traffic through the Worker, a real browser. */
import { fileURLToPath } from "node:url";
import { cloudflareTest } from "@cloudflare/vitest-pool-workers";
import { defineConfig } from "vitest/config";

const compiled = fileURLToPath(new URL("./dist/compiled.json", import.meta.url));

export default defineConfig({
  test: {
    maxWorkers: 1,
    projects: [
      {
        plugins: [cloudflareTest({ main: "./workers/index.ts", wrangler: { configPath: "./wrangler.toml" } })],
        resolve: { alias: { "modelrig:compiled": compiled } },
        test: {
          name: "heavy-edge",
          include: ["test/heavy/edge/**/*.test.ts"],
          globalSetup: ["test/support/upstreams/heavy-upstreams.ts"],
          deps: { optimizer: { ssr: { enabled: true, include: ["itty-durable", "itty-router"] } } },
          testTimeout: 60_000,
        },
      },
      {
        test: {
          name: "heavy-node",
          include: ["test/heavy/node/**/*.test.ts"],
          testTimeout: 120_000,
          hookTimeout: 120_000,
        },
      },
      {
        // The suite's outage, as long as one that people have.
        test: {
          name: "outage",
          include: ["test/e2e/outage.test.ts"],
          env: { MODELRIG_OUTAGE_MS: "30000" },
          testTimeout: 120_000,
          hookTimeout: 120_000,
        },
      },
    ],
  },
});
