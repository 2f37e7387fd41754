import { type Clock, clockOf } from "../../../src/call/time/clock.ts";

/** A clock that stands still until it is turned. */
export interface HandClock extends Clock {
  /** Passes `ms`, timer by timer in their order, and lets what each wakes run up to its next wait. */
  turn(ms: number): Promise<void>;
  readonly timers: number;
}

export function handClock(start = 1_000): HandClock {
  let now = start;
  const timers = new Set<{ readonly at: number; readonly run: () => void }>();
  const clock = clockOf({
    now: () => now,
    after(ms, run) {
      const timer = { at: now + ms, run };
      timers.add(timer);
      return () => void timers.delete(timer);
    },
  });
  return {
    ...clock,
    get timers() {
      return timers.size;
    },
    async turn(ms) {
      const end = now + ms;
      for (;;) {
        const [next] = [...timers].filter(({ at }) => at <= end).sort((a, b) => a.at - b.at);
        if (!next) break;
        now = Math.max(now, next.at);
        timers.delete(next);
        next.run();
        await settle();
      }
      now = end;
      await settle();
    },
  };
}

/** Lets every continuation run that waits for nothing outside. */
export function settle(): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, 0));
}
