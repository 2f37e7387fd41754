import type { Kept } from "../../runs/ports.ts";

/**
 * Returns which items of a batch were written, from the rows that the statement returned; of two equal items, the
 * first.
 */
export function keptOf<Item>(
  items: readonly Item[],
  written: readonly Item[],
  keyOf: (item: Item) => string,
): readonly Kept[] {
  const left = new Set(written.map(keyOf));
  return items.map((item) => (left.delete(keyOf(item)) ? "stored" : "duplicate"));
}
