import type { Hono } from "hono";
import { getMetrics } from "../../../src/api/gateway.ts";
import { nanoToUsdText } from "../../../src/money/nano-usd.ts";
import type { UsageRow } from "../../../src/store/telemetry/inferences.ts";
import type { AppEnv } from "../../context.ts";
import { mount } from "../mount.ts";

/**
 * `GET /metrics`, scope `read`: the org's last sixty minutes from the database, as Prometheus gauges. Gauges, because
 * isolates come and go: a counter that each of them kept for itself would jump, and every scrape would meet another one.
 */
export function mountMetrics(app: Hono<AppEnv>): void {
  mount(app, getMetrics).with(async ({ runtime, principal }) => {
    const rows = await runtime.hourlyUsage(principal.org);
    const headers = { "content-type": "text/plain; version=0.0.4; charset=utf-8" };
    return { response: new Response(prometheusText(rows), { headers }) };
  });
}

interface Family {
  readonly name: string;
  readonly help: string;
  readonly value: (row: UsageRow) => string | undefined;
}

const FAMILIES: readonly Family[] = [
  {
    name: "modelrig_inferences_last_hour",
    help: "Calls that ended in the last hour.",
    value: (row) => String(row.inferences),
  },
  {
    name: "modelrig_attempts_last_hour",
    help: "Upstream requests of those calls.",
    value: (row) => String(row.attempts),
  },
  {
    name: "modelrig_cost_usd_last_hour",
    help: "Cost of those calls whose price is known, in US dollars.",
    value: (row) => (row.costNanoUsd === undefined ? undefined : nanoToUsdText(row.costNanoUsd)),
  },
  {
    name: "modelrig_latency_seconds_sum_last_hour",
    help: "Sum of their latencies; divide by the number of calls for the mean.",
    value: (row) => (row.latencyMsTotal / 1000).toFixed(3),
  },
];

function prometheusText(rows: readonly UsageRow[]): string {
  return FAMILIES.map(({ name, help, value }) => {
    const samples = rows.flatMap((row) => {
      const sample = value(row);
      return sample === undefined ? [] : [`${name}${labels(row)} ${sample}\n`];
    });
    return `# HELP ${name} ${help}\n# TYPE ${name} gauge\n${samples.join("")}`;
  }).join("");
}

function labels({ lane, route, provider, model, failureClass }: UsageRow): string {
  const pairs = { lane, route, provider, model, failure_class: failureClass };
  const texts = Object.entries(pairs).flatMap(([name, value]) =>
    value === undefined ? [] : [`${name}="${escaped(value)}"`],
  );
  return `{${texts.join(",")}}`;
}

const escaped = (value: string): string => value.replace(/\\/g, "\\\\").replace(/\n/g, "\\n").replace(/"/g, '\\"');
