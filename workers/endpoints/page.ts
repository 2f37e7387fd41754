/** Cuts what was read, one row more than a page holds, to the page and the place where the next one begins. */
export function pageOf<Row extends { readonly id: string | number }>(
  rows: readonly Row[],
  limit: number,
  atOf: (row: Row) => number,
): { readonly shown: readonly Row[]; readonly next: string | null } {
  const shown = rows.slice(0, limit);
  const last = rows.length > limit ? shown.at(-1) : undefined;
  return { shown, next: last ? `${atOf(last)}_${last.id}` : null };
}
