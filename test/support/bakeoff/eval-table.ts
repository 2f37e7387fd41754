/** Recorded per-item results of real models, replayed as arms: an upstream on loopback that answers from the table. */

import { metricOf } from "../../../src/bakeoff/execution/quality.ts";
import { runBakeoff } from "../../../src/bakeoff/execution/run-bakeoff.ts";
import { armsOf, referenceArm } from "../../../src/bakeoff/plan/arm.ts";
import type { BakeoffPlan } from "../../../src/bakeoff/plan/bakeoff-plan.ts";
import { reportOf } from "../../../src/bakeoff/report/assemble-report.ts";
import type { BakeoffReport } from "../../../src/bakeoff/report/bakeoff-report.ts";
import { executeCall } from "../../../src/call/execute.ts";
import { replayLedger } from "../../../src/cli/replay-ledger.ts";
import { compileAll } from "../../../src/config/compile-all.ts";
import { usdToNano } from "../../../src/money/nano-usd.ts";
import { seededRandom } from "../../../src/stats/random.ts";
import { engineHost } from "../../../src/workspace/engine-host.ts";
import { listen } from "../upstreams/http-server.ts";

export interface Row {
  readonly right: boolean;
  /** Tokens the upstream bills. */
  readonly input: number;
  readonly output: number;
}

export interface EvalTable {
  readonly items: readonly string[];
  /** By model: dollars per million tokens, and one row per item. */
  readonly models: ReadonlyMap<
    string,
    { readonly inputPerMillion: number; readonly outputPerMillion: number; readonly rows: ReadonlyMap<string, Row> }
  >;
}

export interface EvalRun {
  readonly incumbent: string;
  readonly challengers: readonly string[];
  readonly reference: string;
  readonly maxRegret: number;
  readonly seed?: number;
  /** Only these items. */
  readonly items?: readonly string[];
}

/** The whole bake-off, through the engine and over HTTP; goldens say what is right. */
export async function bakeoffOver(table: EvalTable, run: EvalRun): Promise<BakeoffReport> {
  const upstream = await listen(async (request, response) => {
    let text = "";
    for await (const chunk of request) text += String(chunk);
    const { model, messages } = JSON.parse(text) as { model: string; messages: { content: unknown }[] };
    const row = table.models.get(model)?.rows.get(String(messages.at(-1)?.content));
    response.setHeader("content-type", "application/json");
    if (!row) return void response.writeHead(404).end('{"error":{"message":"no such row"}}');
    const content = JSON.stringify({ answer: row.right ? "right" : "wrong" });
    const usage = { prompt_tokens: row.input, completion_tokens: row.output, total_tokens: row.input + row.output };
    const choice = { index: 0, message: { role: "assistant", content }, finish_reason: "stop" };
    response.end(JSON.stringify({ id: "c", object: "chat.completion", created: 0, model, choices: [choice], usage }));
  });
  try {
    return await replayed(table, run, `${upstream.url}/v1`);
  } finally {
    await upstream.close();
  }
}

async function replayed(table: EvalTable, run: EvalRun, baseUrl: string): Promise<BakeoffReport> {
  const compiled = await compileAll(
    [{ file: "routes/eval.task.yaml", text: routeText(table, run) }],
    { file: "modelrig.yaml", text: configText(table, baseUrl) },
    { at: new Date("2026-11-01T00:00:00Z"), readFile: () => undefined },
  );
  if (!compiled.ok) throw new Error(JSON.stringify(compiled.error));
  const [route] = compiled.value.routes;
  const arms = route && armsOf(route, run.challengers, "default");
  const ceiling = route?.candidates.find(({ model }) => model === run.reference);
  if (!route || !arms?.ok || !ceiling) throw new Error("the route does not hold the models");
  const reference = { type: "arm", arm: referenceArm(route, ceiling), by: "declared" } as const;
  const inputs = (run.items ?? table.items).map((id, index) => ({
    id: `item-${index}`,
    at: index,
    question: id,
    payload: { kind: "variables", variables: { item: id } } as const,
    golden: { answer: "right" },
  }));
  const plan: BakeoffPlan = {
    id: "bo_eval",
    org: "local",
    route,
    arms: [...arms.value, reference.arm],
    inputs,
    budgetPerArm: usdToNano("100"),
    sampling: { representative: true, text: "the newest captures" },
    concurrency: 16,
    metric: metricOf(route, inputs, undefined),
    reference,
    done: [],
  };
  const host = engineHost(compiled.value, {
    environment: {},
    envelopes: replayLedger(Date.now),
    recorder: { record: () => undefined },
  });
  const ports = {
    execute: (input: Parameters<typeof executeCall>[0]) => executeCall(input, host),
    random: seededRandom(run.seed ?? 1),
    onSample: () => undefined,
  };
  const done = await runBakeoff(plan, ports, new AbortController().signal);
  return reportOf(plan, done, { asked: inputs.length, seed: run.seed ?? 1, startedAt: 0, finishedAt: 1 });
}

function routeText(table: EvalTable, { incumbent, challengers, reference, maxRegret }: EvalRun): string {
  const models = [...new Set([incumbent, ...challengers, reference])].filter((name) => table.models.has(name));
  const candidate = (model: string): string => `{ provider: table, model: ${JSON.stringify(model)} }`;
  return [
    "route: eval.task",
    `candidates: [${models.map(candidate).join(", ")}]`,
    "input: { type: object, properties: { item: { type: string } }, required: [item] }",
    'template: { user: "{{ item }}" }',
    "output:",
    "  schema: { type: object, properties: { answer: { type: string } }, required: [answer] }",
    `objective: { mode: quality-first, max_regret: ${maxRegret} }`,
    "variants:",
    ...challengers.map((model) => `  - { name: ${JSON.stringify(model)}, candidates: [${candidate(model)}] }`),
    "",
  ].join("\n");
}

function configText({ models }: EvalTable, baseUrl: string): string {
  const rows = [...models].map(
    ([name, { inputPerMillion, outputPerMillion }]) =>
      `      ${JSON.stringify(name)}: { price: { input_per_million: ${inputPerMillion}, output_per_million: ${outputPerMillion} }, max_output: 100, context_window: 100000 }`,
  );
  return [
    "providers:",
    "  table:",
    "    dialect: openai",
    `    base_url: ${baseUrl}`,
    "    capabilities: { native_strict: true, json_object: true }",
    "    models:",
    ...rows,
    "",
  ].join("\n");
}
