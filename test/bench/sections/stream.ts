/** Streams of 200 and 5,000 chunks from each upstream wire, read by a client that speaks OpenAI chat. */
import { addedLatency, type Comparison, compareLoad, type Rounds } from "../compare.ts";
import type { Figure } from "../figures.ts";
import { WIRES } from "../shapes.ts";
import type { Question, Side, Stage } from "../stage.ts";

const LENGTHS = [
  { events: 200, count: 80, rounds: 3 },
  { events: 5_000, count: 8, rounds: 2 },
];

export async function stream(stage: Stage): Promise<readonly Figure[]> {
  const figures: Figure[] = [];
  const compared = (question: Question, plan: Rounds) =>
    compareLoad(stage.load, stage.contestants(question, ["forwarding", "least", "relabel", "gateway"]), plan);
  const first: Question = { wire: "openai", shape: { events: 200, characters: 16 }, stream: true };
  const { gateway, forwarding } = await addedLatency(stage, first, 200);
  figures.push({
    what: "added time to the first stream byte, p50",
    value: gateway.firstByteMs,
    unit: "ms",
    goal: { most: 2 },
    detail: `the forwarding Worker adds ${forwarding.firstByteMs.toFixed(2)} ms`,
  });
  for (const question of questions()) {
    for (const { events, count, rounds } of LENGTHS) {
      const shape = { events, characters: 16 };
      const plan = { rounds, connections: 8, until: { count } };
      const client = question.client === "anthropic" ? `${question.wire} → anthropic client` : question.wire;
      const name = question.unread ? `${client}, unread` : client;
      figures.push(
        ...figuresOf(`${name}, ${events} chunks`, await compared({ ...question, shape }, plan), {
          events,
          unread: question.unread === true,
        }),
      );
    }
  }
  return figures;
}

function questions(): readonly Omit<Question, "shape">[] {
  const anthropic = { wire: "anthropic", stream: true, client: "anthropic" } as const;
  const read = [...WIRES.map((wire) => ({ wire, stream: true })), anthropic];
  return [...read, { wire: "openai", stream: true, unread: true }, { ...anthropic, unread: true }];
}

interface Streams {
  /** Content events of each. */
  readonly events: number;
  /** Whether the gateway lets them pass unread. */
  readonly unread: boolean;
}

function figuresOf(name: string, measured: Comparison<Side>, { events, unread }: Streams): readonly Figure[] {
  const perChunk = (side: Side): string => (measured.middle("cpuUs", side) / events).toFixed(1);
  const rate = (side: Side): number => Math.round(measured.middle("rate", side) * events);
  return [
    {
      what: `${name}: processor time ÷ Worker that relabels every event`,
      value: measured.ratio("cpuUs", "gateway", "relabel"),
      unit: "×",
      ...(!unread && { goal: { most: 1.2 } }),
      detail: `per chunk ${perChunk("gateway")} and ${perChunk("relabel")} µs; copying ${perChunk("least")}, forwarding ${perChunk("forwarding")} µs`,
    },
    {
      what: `${name}: throughput ÷ forwarding Worker`,
      value: measured.ratio("rate", "gateway", "forwarding"),
      unit: "×",
      ...(unread && { goal: { least: 0.5 } }),
      detail: `${rate("gateway")} and ${rate("forwarding")} chunks/s`,
    },
  ];
}
