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

/** A stream is flat where ten thousand times the bytes take no more than this share on top. */
const FLAT = 1.25;
const CONNECTIONS = 4;

export async function memory(stage: Stage): Promise<readonly Figure[]> {
  const streamed = await peaks(stage, true);
  const whole = await peaks(stage, false);
  return [
    {
      what: "streams, peak at 10 MB ÷ peak at 1 kB",
      value: streamed.at(-1)! / streamed[0]!,
      unit: "×",
      goal: { most: FLAT },
      detail: listed(streamed),
    },
    {
      what: "whole answers, peak at 10 MB ÷ peak at 1 kB",
      value: whole.at(-1)! / whole[0]!,
      unit: "×",
      detail: `${listed(whole)}; held to be judged`,
    },
  ];
}

async function peaks(stage: Stage, stream: boolean): Promise<number[]> {
  const found: number[] = [];
  const { pid } = stage.hosts.gateway;
  // The smallest once beforehand: what a first call leaves in memory is no part of any size.
  for (const { shape, count } of [SIZES[0]!, ...SIZES]) {
    await idle(pid);
    resetPeak(pid);
    const target = stage.targets({ wire: "openai", shape, stream }).gateway;
    await stage.load.run<"load">({ type: "load", target, connections: CONNECTIONS, until: { count } });
    found.push(peakRss(pid));
  }
  return found.slice(1);
}

function listed(bytes: readonly number[]): string {
  return bytes.map((peak, index) => `${SIZES[index]!.name}: ${Math.round(peak / 1e6)} MB`).join(", ");
}
