import type { Sample } from "../../bakeoff/sample.ts";
import { formatUsd } from "../../money/format.ts";
import { addUsd, type NanoUsd, nanoUsd, ZERO_USD } from "../../money/nano-usd.ts";
import type { Io } from "../command.ts";

export interface Progress {
  readonly onSample: (sample: Sample) => void;
  /** Takes the line away. */
  readonly end: () => void;
}

const REPAINT_MS = 200;
/** Without a terminal a line a minute is enough to see that it lives. */
const LOG_MS = 60_000;

/** One line on stderr: repainted on a terminal, once a minute elsewhere. */
export function startProgress(
  io: Io,
  plan: { readonly total: number; readonly budget: NanoUsd },
  now: () => number,
): Progress {
  const terminal = io.stderr.isTTY === true;
  const startedAt = now();
  let paintedAt = startedAt;
  let done = 0;
  let spent = ZERO_USD;
  const failed = new Map<string, number>();
  const paint = (): void => {
    paintedAt = now();
    const line = progressLine({ ...plan, done, spent, failed, elapsedMs: paintedAt - startedAt });
    io.stderr.write(terminal ? `\r\u001b[K${line.slice(0, (io.stderr.columns ?? 80) - 1)}` : `${line}\n`);
  };
  return {
    onSample({ cost, failure }) {
      done += 1;
      spent = addUsd(spent, cost ?? ZERO_USD);
      if (failure) failed.set(failure.class, (failed.get(failure.class) ?? 0) + 1);
      if (now() - paintedAt >= (terminal ? REPAINT_MS : LOG_MS)) paint();
    },
    end() {
      if (terminal) io.stderr.write("\r\u001b[K");
    },
  };
}

/** `212/520 · 41/s · $3.02 of $10.00 · left ~12 s · 3 failed (network 2, content_invalid 1)` */
export function progressLine(state: {
  readonly done: number;
  readonly total: number;
  readonly spent: NanoUsd;
  readonly budget: NanoUsd;
  readonly failed: ReadonlyMap<string, number>;
  readonly elapsedMs: number;
}): string {
  const perSecond = state.elapsedMs > 0 ? (state.done / state.elapsedMs) * 1000 : 0;
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
