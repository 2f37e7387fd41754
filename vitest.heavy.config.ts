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
          globalSetup: ["test/support/heavy-upstreams.ts"],
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
    ],
  },
});
