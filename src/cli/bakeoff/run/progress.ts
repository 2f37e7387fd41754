import type { Sample } from "../../../bakeoff/execution/sample.ts";
import { formatUsd } from "../../../money/format.ts";
import { addUsd, type NanoUsd, nanoUsd, ZERO_USD } from "../../../money/nano-usd.ts";
import type { Io } from "../../command.ts";

interface Progress {
  readonly onSample: (sample: Sample) => void;
  /** Spent on something that is no sample: the judge. */
  readonly onSpent: (cost: NanoUsd | undefined) => void;
  /** Takes the line away. */
  readonly end: () => void;
}

const REPAINT_MS = 200;
/** Without a terminal a line a minute is enough to see that it lives. */
const LOG_MS = 60_000;

/** One line on stderr: repainted on a terminal, once a minute elsewhere. */
export function startProgress(
  io: Io,
  plan: {
    readonly total: number;
    readonly budget: NanoUsd;
    /** Of an earlier, interrupted run. */
    readonly done: readonly Sample[];
    readonly spent: NanoUsd;
  },
  now: () => number,
): Progress {
  const terminal = io.stderr.isTTY === true;
  const startedAt = now();
  let paintedAt = startedAt;
  const before = plan.done.length;
  let done = before;
  let spent = plan.spent;
  const failed = new Map<string, number>();
  for (const { failure } of plan.done) if (failure) failed.set(failure.class, (failed.get(failure.class) ?? 0) + 1);
  const paint = (): void => {
    paintedAt = now();
    const line = progressLine({ ...plan, before, done, spent, failed, elapsedMs: paintedAt - startedAt });
    io.stderr.write(terminal ? `\r\u001b[K${line.slice(0, (io.stderr.columns || 80) - 1)}` : `${line}\n`);
  };
  return {
    onSample({ cost, failure }) {
      done += 1;
      spent = addUsd(spent, cost ?? ZERO_USD);
      if (failure) failed.set(failure.class, (failed.get(failure.class) ?? 0) + 1);
      if (now() - paintedAt >= (terminal ? REPAINT_MS : LOG_MS)) paint();
    },
    onSpent(cost) {
      spent = addUsd(spent, cost ?? ZERO_USD);
    },
    end() {
      if (terminal) io.stderr.write("\r\u001b[K");
    },
  };
}

/** `212/520 · 41/s · $3.02 of $10.00 · left ~12 s · 3 failed (network 2, content_invalid 1)` */
function progressLine(state: {
  /** Samples of an earlier run, which say nothing about the speed of this one. */
  readonly before?: number | undefined;
  readonly done: number;
  readonly total: number;
  readonly spent: NanoUsd;
  readonly budget: NanoUsd;
  readonly failed: ReadonlyMap<string, number>;
  readonly elapsedMs: number;
}): string {
  const perSecond = state.elapsedMs > 0 ? ((state.done - (state.before ?? 0)) / state.elapsedMs) * 1000 : 0;
  const failures = [...state.failed].sort(([, a], [, b]) => b - a);
  const count = failures.reduce((sum, [, n]) => sum + n, 0);
  const parts = [
    `${state.done}/${state.total}`,
    `${perSecond.toFixed(perSecond < 10 ? 1 : 0)}/s`,
    `${formatUsd(state.spent)} of ${formatUsd(nanoUsd(state.budget))}`,
    ...(perSecond > 0 ? [`left ~${Math.ceil((state.total - state.done) / perSecond)} s`] : []),
    ...(count > 0 ? [`${count} failed (${failures.map(([name, n]) => `${name} ${n}`).join(", ")})`] : []),
  ];
  return parts.join(" · ");
}
