/** What a section found, and how it is shown. Goals are printed beside the figures; nothing here passes or fails a test. */

export interface Figure {
  readonly what: string;
  readonly value: number;
  readonly unit: string;
  /** Absent = a figure to know, without a goal. */
  readonly goal?: { readonly least: number } | { readonly most: number } | undefined;
  /** What it is made of, in a few words. */
  readonly detail?: string | undefined;
}

export interface SectionResult {
  readonly section: string;
  readonly figures: readonly Figure[];
}

export function meetsGoal({ value, goal }: Figure): boolean | undefined {
  if (!goal) return undefined;
  return "least" in goal ? value >= goal.least : value <= goal.most;
}

/** One table over all sections, in columns as wide as their widest cell. */
export function tableOf(results: readonly SectionResult[]): string {
  const rows = [["section", "what", "measured", "goal", "", "detail"]];
  for (const { section, figures } of results) {
    for (const figure of figures) {
      const met = meetsGoal(figure);
      const verdict = met === undefined ? "" : met ? "met" : "MISSED";
      rows.push([section, figure.what, amount(figure), goalOf(figure), verdict, figure.detail ?? ""]);
    }
  }
  const widths = rows[0]!.map((_, column) => Math.max(...rows.map((row) => row[column]!.length)));
  return rows
    .map((row) =>
      row
        .map((cell, column) => cell.padEnd(widths[column]!))
        .join("  ")
        .trimEnd(),
    )
    .join("\n");
}

function amount({ value, unit }: Figure): string {
  return `${short(value)} ${unit}`.trim();
}

function goalOf({ goal, unit }: Figure): string {
  if (!goal) return "";
  return "least" in goal ? `≥ ${short(goal.least)} ${unit}`.trim() : `≤ ${short(goal.most)} ${unit}`.trim();
}

function short(value: number): string {
  if (Math.abs(value) >= 100) return Math.round(value).toLocaleString("en");
  return value.toFixed(Math.abs(value) >= 10 ? 1 : 2);
}

export function median(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b);
  const middle = Math.floor(sorted.length / 2);
  if (sorted.length === 0) return Number.NaN;
  return sorted.length % 2 === 1 ? sorted[middle]! : (sorted[middle - 1]! + sorted[middle]!) / 2;
}
