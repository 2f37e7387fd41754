/** Memory of workerd while it passes on answers of very different sizes. */
import type { Figure } from "../figures.ts";
import { idle, peakRss, resetPeak } from "../processes.ts";
import type { Shape } from "../shapes.ts";
import type { Stage } from "../stage.ts";

const SIZES: readonly { readonly name: string; readonly shape: Shape; readonly count: number }[] = [
  { name: "1 kB", shape: { events: 1, characters: 1000 }, count: 400 },
  { name: "1 MB", shape: { events: 1000, characters: 1000 }, count: 40 },
  { name: "10 MB", shape: { events: 10_000, characters: 1000 }, count: 8 },
];

const CONNECTIONS = 4;

export async function memory(stage: Stage): Promise<readonly Figure[]> {
  const streamed = await peaks(stage, "gateway", true);
  const copied = await peaks(stage, "least", true);
  const whole = await peaks(stage, "gateway", false);
  return [
    {
      what: "streams of 10 MB, peak above the Worker that copies",
      value: (streamed.at(-1)! - copied.at(-1)!) / 1e6,
      unit: "MB",
      goal: { most: 60 },
      detail: `${listed(streamed)}; the copier ${listed(copied)}`,
    },
    {
      what: "whole answers, peak at 10 MB ÷ peak at 1 kB",
      value: whole.at(-1)! / whole[0]!,
      unit: "×",
      detail: `${listed(whole)}; held to be judged`,
    },
  ];
}

async function peaks(stage: Stage, side: "gateway" | "least", stream: boolean): Promise<number[]> {
  const found: number[] = [];
  const { pid } = stage.hosts[side];
  // The smallest once beforehand: what a first call leaves in memory is no part of any size.
  for (const { shape, count } of [SIZES[0]!, ...SIZES]) {
    await idle(pid);
    resetPeak(pid);
    const target = stage.targets({ wire: "openai", shape, stream })[side];
    await stage.load.run<"load">({ type: "load", target, connections: CONNECTIONS, until: { count } });
    found.push(peakRss(pid));
  }
  return found.slice(1);
}

function listed(bytes: readonly number[]): string {
  return bytes.map((peak, index) => `${SIZES[index]!.name}: ${Math.round(peak / 1e6)} MB`).join(", ");
}
