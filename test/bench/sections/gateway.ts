/** Whole answers: throughput and latency, telemetry on. */
import { addedLatency, compareLoad } from "../compare.ts";
import type { Figure } from "../figures.ts";
import type { Question, Stage } from "../stage.ts";

const QUESTION: Question = { wire: "openai", shape: { events: 1, characters: 400 }, stream: false };

export async function gateway(stage: Stage): Promise<readonly Figure[]> {
  const latency = await addedLatency(stage, QUESTION, 1_500);
  const { ratio, ratioToLeast, rate, cpuUs } = await compareLoad(stage, QUESTION, {
    rounds: 5,
    connections: 16,
    until: { ms: 2_000 },
  });
  return [
    {
      what: "throughput, gateway ÷ forwarding Worker",
      value: ratio,
      unit: "×",
      goal: { least: 0.7 },
      detail: `${Math.round(rate.gateway)}/s and ${Math.round(rate.forwarding)}/s, 16 connections`,
    },
    {
      what: "throughput, gateway ÷ least gateway",
      value: ratioToLeast,
      unit: "×",
      detail: `${Math.round(rate.least)}/s for parse, write again, one queue message`,
    },
    {
      what: "added latency p50 against the upstream",
      value: latency.gateway.totalMs,
      unit: "ms",
      goal: { most: 1 },
      detail: `the forwarding Worker adds ${latency.forwarding.totalMs.toFixed(2)} ms`,
    },
    {
      what: "processor time per call, telemetry included",
      value: cpuUs.gateway,
      unit: "µs",
      detail: `forwarding ${Math.round(cpuUs.forwarding)} µs, least gateway ${Math.round(cpuUs.least)} µs`,
    },
  ];
}
