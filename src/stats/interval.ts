/** A two-sided 95% interval. */
export interface Interval {
  readonly low: number;
  readonly high: number;
}

/** Standard normal quantile at 0.975. */
export const Z_95 = 1.959963984540054;
