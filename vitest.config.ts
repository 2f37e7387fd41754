import { fileURLToPath } from "node:url";
import { cloudflareTest } from "@cloudflare/vitest-pool-workers";
import { defineConfig } from "vitest/config";

const compiled = fileURLToPath(new URL("./dist/compiled.json", import.meta.url));

export default defineConfig({
  test: {
    projects: [
      {
        // Code that runs at the edge, in workerd with its real objects and queue.
        plugins: [cloudflareTest({ wrangler: { configPath: "./wrangler.toml" } })],
        resolve: { alias: { "modelrig:compiled": compiled } },
        test: {
          name: "edge",
          include: ["test/edge/**/*.test.ts"],
          globalSetup: ["test/support/edge-upstreams.ts"],
          deps: { optimizer: { ssr: { enabled: true, include: ["itty-durable", "itty-router"] } } },
          testTimeout: 30_000,
        },
      },
      {
        // The command line, local storage, and pure code, in Node.
        test: {
          name: "node",
          include: ["test/node/**/*.test.ts", "test/e2e/**/*.test.ts"],
          testTimeout: 60_000,
          hookTimeout: 60_000,
        },
      },
      {
        test: { name: "property", include: ["test/property/**/*.test.ts"], testTimeout: 120_000 },
      },
    ],
  },
});
