/** Tables that are tables to a screen reader too, scroll in their own box, and turn into cards on a phone. */
import { type Html, html, type Part } from "./html.ts";

export interface PageCell {
  readonly content: Part;
  /** `figure` = right-aligned; `plot` = as wide as there is room. */
  readonly kind?: "figure" | "plot" | undefined;
}

interface PageTable {
  /** Read out, and the name of the scroll box. */
  readonly caption: string;
  readonly head: readonly PageCell[];
  /** The first cell of a row is its header. */
  readonly rows: readonly (readonly PageCell[])[];
  /** On a phone each row becomes a card, its cells labelled by the head; else the table scrolls. */
  readonly cards: boolean;
  /** Labels of the cells in a card, where the head's own text would not do. */
  readonly labels?: readonly string[] | undefined;
}

export function table({
  caption,
  head,
  rows,
  cards,
  labels = head.map(({ content }) => textOf(content)),
}: PageTable): Html {
  const cell = ({ content, kind }: PageCell, index: number): Html => {
    const name = html` class="${kind ?? "text"}" data-label="${labels[index] ?? ""}"`;
    return index === 0
      ? html`<th scope="row" role="rowheader"${name}>${content}</th>`
      : html`<td role="cell"${name}>${content}</td>`;
  };
  return html`<div class="scroll" tabindex="0" role="region" aria-label="${caption}"><table role="table" class="${cards ? "cards" : "plain"}"><caption>${caption}</caption><thead role="rowgroup"><tr role="row">${head.map(
    ({ content, kind }) => html`<th scope="col" role="columnheader" class="${kind ?? "text"}">${content}</th>`,
  )}</tr></thead><tbody role="rowgroup">${rows.map((row) => html`<tr role="row">${row.map(cell)}</tr>`)}</tbody></table></div>`;
}

/** A table of plain texts behind a fold: the figures of a plot. */
export function dataTable(caption: string, head: readonly string[], rows: readonly (readonly Part[])[]): Html {
  const cells = (row: readonly Part[]): PageCell[] =>
    row.map((content, index) => ({ content, kind: index === 0 ? undefined : "figure" }));
  return html`<details class="data"><summary>The figures of this plot as a table</summary>${table({ caption, head: cells(head), rows: rows.map(cells), cards: false })}</details>`;
}

function textOf(content: Part): string {
  return typeof content === "string" ? content : "";
}
