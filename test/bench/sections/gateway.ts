/** Whole answers: throughput and latency, telemetry on. */
import { addedLatency, compareLoad } from "../compare.ts";
import type { Figure } from "../figures.ts";
import type { Question, Stage } from "../stage.ts";

const QUESTION: Question = { wire: "openai", shape: { events: 1, characters: 400 }, stream: false };

export async function gateway(stage: Stage): Promise<readonly Figure[]> {
  const latency = await addedLatency(stage, QUESTION, 1_500);
  const { rateRatio, cpuRatio, rate, cpuUs } = await compareLoad(stage, QUESTION, {
    rounds: 5,
    connections: 16,
    until: { ms: 2_000 },
  });
  return [
    {
      what: "processor time per call, gateway ÷ least gateway",
      value: cpuRatio.least,
      unit: "×",
      goal: { most: 1.6 },
      detail: `${Math.round(cpuUs.gateway)} and ${Math.round(cpuUs.least)} µs, forwarding ${Math.round(cpuUs.forwarding)} µs`,
    },
    {
      what: "throughput, gateway ÷ least gateway",
      value: rateRatio.least,
      unit: "×",
      detail: `${Math.round(rate.gateway)}/s and ${Math.round(rate.least)}/s, 16 connections`,
    },
    {
      what: "throughput, gateway ÷ forwarding Worker",
      value: rateRatio.forwarding,
      unit: "×",
      detail: `forwarding ${Math.round(rate.forwarding)}/s`,
    },
    {
      what: "added latency p50 against the upstream",
      value: latency.gateway.totalMs,
      unit: "ms",
      goal: { most: 1.5 },
      detail: `the forwarding Worker adds ${latency.forwarding.totalMs.toFixed(2)} ms`,
    },
  ];
}
