/** Positions on an axis as percent of a plot's width, so that a plot stretches and its text does not. */

export interface Scale {
  readonly low: number;
  readonly high: number;
  /** Percent of the width, unclipped. */
  readonly at: (value: number) => number;
  readonly ticks: readonly number[];
}

/** Room at both ends for a mark's own width. */
const MARGIN = 3;

/** Ticks are round numbers inside the domain; about `count` of them. */
export function linearScale(low: number, high: number, count = 5): Scale {
  const [from, to] = high > low ? [low, high] : [low - 0.5, high + 0.5];
  const step = roundStep((to - from) / count);
  const first = Math.ceil(from / step - 1e-9);
  const last = Math.floor(to / step + 1e-9);
  // Multiples of the step, not sums of it: 0.1 + 0.2 is no tick.
  const ticks = Array.from({ length: last - first + 1 }, (_, index) =>
    Number(((first + index) * step).toPrecision(12)),
  );
  return { low: from, high: to, at: (value) => MARGIN + ((value - from) / (to - from)) * (100 - 2 * MARGIN), ticks };
}

/** Base 10, of positive amounts; ticks at 1, 2 and 5. */
export function logScale(low: number, high: number): Scale {
  const [from, to] = high > low ? [low, high] : [low / 2, high * 2];
  const { at } = linearScale(Math.log10(from), Math.log10(to));
  const ticks: number[] = [];
  for (let power = Math.floor(Math.log10(from)); power <= Math.log10(to); power += 1) {
    for (const digit of [1, 2, 5]) {
      const tick = Number(`${digit}e${power}`);
      if (tick >= from && tick <= to) ticks.push(tick);
    }
  }
  return { low: from, high: to, at: (value) => at(Math.log10(value)), ticks };
}

/** 1, 2 or 5 times a power of ten, not below `rough`. */
function roundStep(rough: number): number {
  const power = 10 ** Math.floor(Math.log10(rough));
  const digit = [1, 2, 5, 10].find((one) => one * power >= rough * (1 - 1e-9)) ?? 10;
  return digit * power;
}

/** An attribute's value: short, without exponent. */
export function px(value: number): string {
  return String(Number(value.toFixed(2)));
}

export function pct(value: number): string {
  return `${px(value)}%`;
}
