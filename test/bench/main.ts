/**
 * `npm run bench [-- section…]`: measures the performance goals side by side with their yardsticks, prints one table and
 * writes it to `dist/bench.json`. Ratios of one run can be compared; absolute figures depend on the machine.
 */
import { mkdirSync, writeFileSync } from "node:fs";
import { availableParallelism, cpus } from "node:os";
import { fileURLToPath } from "node:url";
import { type Figure, meetsGoal, type SectionResult, tableOf } from "./figures.ts";
import { bakeoff } from "./sections/bakeoff.ts";
import { bundle } from "./sections/bundle.ts";
import { cli } from "./sections/cli.ts";
import { envelopes } from "./sections/envelopes.ts";
import { gateway } from "./sections/gateway.ts";
import { hostile } from "./sections/hostile.ts";
import { ingest } from "./sections/ingest.ts";
import { memory } from "./sections/memory.ts";
import { query } from "./sections/query.ts";
import { rollups } from "./sections/rollups.ts";
import { sdk } from "./sections/sdk.ts";
import { stream } from "./sections/stream.ts";
import { openStage, type Stage } from "./stage.ts";

/** In the order they run and are printed. Each opens a stage of its own, so that one leaves nothing to the next. */
const SECTIONS: Readonly<Record<string, () => Promise<readonly Figure[]>>> = {
  gateway: onStage(gateway),
  stream: onStage(stream),
  memory: onStage(memory),
  bundle,
  hostile,
  envelopes,
  ingest,
  bakeoff,
  query,
  rollups,
  cli,
  sdk,
};

function onStage(measure: (stage: Stage) => Promise<readonly Figure[]>): () => Promise<readonly Figure[]> {
  return async () => {
    const stage = await openStage();
    try {
      return await measure(stage);
    } finally {
      await stage.close();
    }
  };
}

async function main(asked: readonly string[]): Promise<void> {
  const unknown = asked.filter((name) => !Object.hasOwn(SECTIONS, name));
  if (unknown.length > 0) {
    console.error(`no section is named ${unknown.join(", ")}; there are: ${Object.keys(SECTIONS).join(", ")}`);
    process.exitCode = 2;
    return;
  }
  const results: SectionResult[] = [];
  for (const section of asked.length > 0 ? asked : Object.keys(SECTIONS)) {
    console.error(`measuring ${section} …`);
    results.push({ section, figures: await SECTIONS[section]!() });
  }
  console.log(`\n${tableOf(results)}\n`);
  write(results);
}

function write(results: readonly SectionResult[]): void {
  const figures = results.flatMap(({ section, figures: all }) =>
    all.map((figure) => ({ section, ...figure, met: meetsGoal(figure) })),
  );
  const machine = { node: process.version, cores: availableParallelism(), cpu: cpus()[0]?.model };
  const file = fileURLToPath(new URL("../../dist/bench.json", import.meta.url));
  mkdirSync(fileURLToPath(new URL("../../dist/", import.meta.url)), { recursive: true });
  writeFileSync(file, `${JSON.stringify({ schema: "modelrig.bench/1", at: new Date(), machine, figures }, null, 2)}\n`);
  console.log(`written to ${file}`);
}

await main(process.argv.slice(2));
