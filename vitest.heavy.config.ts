/** Long suites on recorded data, a part of `npm run test:heavy`. */
import { fileURLToPath } from "node:url";
import { cloudflareTest } from "@cloudflare/vitest-pool-workers";
import { defineConfig } from "vitest/config";

const compiled = fileURLToPath(new URL("./dist/compiled.json", import.meta.url));

export default defineConfig({
  plugins: [cloudflareTest({ main: "./workers/index.ts", wrangler: { configPath: "./wrangler.toml" } })],
  resolve: { alias: { "modelrig:compiled": compiled } },
  test: {
    name: "heavy-edge",
    maxWorkers: 1,
    include: ["test/heavy/edge/**/*.test.ts"],
    globalSetup: ["test/support/recorded-calls.ts"],
    deps: { optimizer: { ssr: { enabled: true, include: ["itty-durable", "itty-router"] } } },
    testTimeout: 60_000,
  },
});
