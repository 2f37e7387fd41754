/** Whole answers: throughput and latency, telemetry on. */
import { addedLatency, type Comparison, compareLoad } from "../compare.ts";
import type { Figure } from "../figures.ts";
import { type Portkey, startPortkey } from "../portkey.ts";
import type { Question, Stage } from "../stage.ts";

const QUESTION: Question = { wire: "openai", shape: { events: 1, characters: 400 }, stream: false };
const PLAN = { rounds: 5, connections: 16, until: { ms: 2_000 } };

type Name = "forwarding" | "least" | "gateway" | "enveloped" | "portkey";

export async function gateway(stage: Stage): Promise<readonly Figure[]> {
  const latency = await addedLatency(stage, QUESTION, 1_500);
  const portkey = await startPortkey();
  try {
    return [...figuresOf(await compared(stage, portkey), portkey !== undefined), addedOf(latency)];
  } finally {
    portkey?.stop();
  }
}

function compared(stage: Stage, portkey: Portkey | undefined): Promise<Comparison<Name>> {
  const direct = stage.targets(QUESTION).direct;
  const contestants = {
    ...stage.contestants(QUESTION, ["forwarding", "least", "gateway"]),
    enveloped: stage.contestants({ ...QUESTION, enveloped: true }, ["gateway"]).gateway,
    ...(portkey && { portkey: { pid: portkey.pid, target: portkey.target(direct, stage.upstreamPort) } }),
  };
  return compareLoad<Name>(stage.load, contestants, PLAN);
}

function figuresOf({ ratio, middle }: Comparison<Name>, besidePortkey: boolean): readonly Figure[] {
  const us = (name: Name): string => `${Math.round(middle("cpuUs", name))} µs`;
  const rate = (name: Name): string => `${Math.round(middle("rate", name))}/s`;
  return [
    {
      what: "processor time per call, gateway ÷ least gateway",
      value: ratio("cpuUs", "gateway", "least"),
      unit: "×",
      goal: { most: 1.6 },
      detail: `${us("gateway")} and ${us("least")}, forwarding ${us("forwarding")}`,
    },
    {
      what: "throughput, gateway ÷ least gateway",
      value: ratio("rate", "gateway", "least"),
      unit: "×",
      detail: `${rate("gateway")} and ${rate("least")}, ${PLAN.connections} connections`,
    },
    {
      what: "throughput, gateway ÷ forwarding Worker",
      value: ratio("rate", "gateway", "forwarding"),
      unit: "×",
      detail: `forwarding ${rate("forwarding")}`,
    },
    {
      what: "throughput, gateway ÷ Portkey's gateway",
      value: besidePortkey ? ratio("rate", "gateway", "portkey") : Number.NaN,
      unit: "×",
      ...(besidePortkey
        ? { goal: { least: 2.5 }, detail: `Portkey ${rate("portkey")}, ${us("portkey")} a call` }
        : { detail: "not measured: MODELRIG_BENCH_PORTKEY names no start file of it" }),
    },
    {
      what: "processor time per call, under three envelopes ÷ under none",
      value: ratio("cpuUs", "enveloped", "gateway"),
      unit: "×",
      goal: { most: 1.15 },
      detail: `${us("enveloped")} and ${us("gateway")}`,
    },
  ];
}

function addedOf({ gateway: through, forwarding }: Awaited<ReturnType<typeof addedLatency>>): Figure {
  return {
    what: "added latency p50 against the upstream",
    value: through.totalMs,
    unit: "ms",
    goal: { most: 1.5 },
    detail: `the forwarding Worker adds ${forwarding.totalMs.toFixed(2)} ms`,
  };
}
