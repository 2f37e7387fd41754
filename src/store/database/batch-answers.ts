import type { Kept } from "../../runs/ports.ts";

/** Which items of a batch were written, told by what the statement returned; of two that are the same, the first. */
export function keptOf<Item>(
  items: readonly Item[],
  written: readonly Item[],
  keyOf: (item: Item) => string,
): readonly Kept[] {
  const left = new Set(written.map(keyOf));
  return items.map((item) => (left.delete(keyOf(item)) ? "stored" : "duplicate"));
}
