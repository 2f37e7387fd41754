/** Colours of a page, light and dark. What has a meaning also has a shape or a word. */

export interface Theme {
  readonly ground: string;
  readonly raised: string;
  readonly ink: string;
  /** Secondary text. */
  readonly quiet: string;
  /** Lines that separate; they carry no meaning. */
  readonly line: string;
  /** Axes, limits and borders of controls. */
  readonly rule: string;
  readonly within: string;
  readonly worse: string;
  readonly open: string;
  readonly warn: string;
  /** Where a bound is beyond its limit. */
  readonly beyond: string;
  readonly removed: string;
  readonly added: string;
  /** Up to four arms, by declared position. */
  readonly series: readonly [string, string, string, string];
}

export const LIGHT: Theme = {
  ground: "#ffffff",
  raised: "#f4f6f8",
  ink: "#15191e",
  quiet: "#515c68",
  line: "#d9dee4",
  rule: "#76818d",
  within: "#0b63a5",
  worse: "#b14400",
  open: "#5b6673",
  warn: "#8a6100",
  beyond: "#fbeee6",
  removed: "#ffe3d1",
  added: "#d5eafb",
  series: ["#26349e", "#cf5604", "#7471c9", "#760a03"],
};

export const DARK: Theme = {
  ground: "#111418",
  raised: "#1a1f25",
  ink: "#e8ebef",
  quiet: "#a9b4c0",
  line: "#2c333b",
  rule: "#7d8894",
  within: "#6cb8f0",
  worse: "#f58a3c",
  open: "#a9b4c0",
  warn: "#e3b341",
  beyond: "#241a13",
  removed: "#532a10",
  added: "#123a58",
  series: ["#5a94dd", "#cf7a14", "#f5c40d", "#27e3fd"],
};

/** As custom properties: `--ground`, …, `--series-1` to `--series-4`. */
export function themeVariables({ series, ...colours }: Theme): string {
  const named = Object.entries(colours).map(([name, colour]) => `--${name}:${colour}`);
  return [...named, ...series.map((colour, index) => `--series-${index + 1}:${colour}`)].join(";");
}
