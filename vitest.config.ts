import { fileURLToPath } from "node:url";
import { cloudflareTest } from "@cloudflare/vitest-pool-workers";
import { defineConfig } from "vitest/config";

const compiled = fileURLToPath(new URL("./dist/compiled.json", import.meta.url));

export default defineConfig({
  test: {
    // Most of a file's time is importing and waiting for processes of its own: two at a time keep two cores busy.
    maxWorkers: 2,
    projects: [
      {
        // Code that runs at the edge, in workerd with its real objects and queue.
        plugins: [cloudflareTest({ main: "./workers/index.ts", wrangler: { configPath: "./wrangler.toml" } })],
        resolve: { alias: { "modelrig:compiled": compiled } },
        test: {
          name: "edge",
          include: ["test/edge/**/*.test.ts"],
          globalSetup: ["test/support/upstreams/edge-upstreams.ts"],
          deps: { optimizer: { ssr: { enabled: true, include: ["itty-durable", "itty-router"] } } },
          // Ceilings for a machine that does much else; no test waits for them.
          testTimeout: 120_000,
          hookTimeout: 180_000,
        },
      },
      {
        // The command line, local storage, and pure code, in Node.
        test: {
          name: "node",
          include: ["test/node/**/*.test.ts", "test/e2e/**/*.test.ts"],
          testTimeout: 120_000,
          hookTimeout: 180_000,
        },
      },
      {
        // Pure code: what one file imported, the next may use.
        test: { name: "property", include: ["test/property/**/*.test.ts"], testTimeout: 300_000, isolate: false },
      },
    ],
  },
});
