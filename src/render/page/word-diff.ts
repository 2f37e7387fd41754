/** Two texts as one, word by word. */
import { diffWordsWithSpace } from "diff";
import { type Html, html } from "./html.ts";

/** Edits beyond which texts count as unrelated; without a limit two of them take seconds. */
const MOST_EDITS = 600;

/** `undefined` where the texts are too different to be aligned. */
export function wordDiff(left: string, right: string): Html | undefined {
  const changes = diffWordsWithSpace(left, right, { maxEditLength: MOST_EDITS });
  if (!changes) return undefined;
  return html`${changes.map(({ value, added, removed }) => {
    if (removed) return html`<del>${value}</del>`;
    return added ? html`<ins>${value}</ins>` : value;
  })}`;
}
