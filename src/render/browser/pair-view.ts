/** The pairs side by side: which are shown, which one is current, and what may be seen of it. */
import type { PageFacts, PageSide } from "../page/page-facts.ts";
import { agreementText } from "./agreement-text.ts";
import { find, findAll } from "./dom.ts";
import type { GradeBook } from "./grade-book.ts";

export class PairView {
  readonly #facts: PageFacts;
  readonly #book: GradeBook;
  readonly #pairs: readonly HTMLElement[];
  readonly #byInput = new Map<string | undefined, HTMLElement[]>();
  #tab = "all";
  #revealed = false;
  #current = 0;
  /** Position of the marked side within the current pair. */
  #marked = 0;

  constructor(facts: PageFacts, book: GradeBook, pairs: readonly HTMLElement[]) {
    this.#facts = facts;
    this.#book = book;
    this.#pairs = pairs;
    for (const pair of pairs) this.#byInput.set(pair.dataset["input"], [...this.#together(pair), pair]);
  }

  draw(): void {
    this.#pairs.forEach((pair, index) => {
      pair.hidden = !this.#isVisible(pair);
      pair.classList.toggle("current", index === this.#current);
      pair.classList.toggle("revealed", this.#isRevealed(pair));
      sidesOf(pair).forEach((side, position) => {
        side.classList.toggle("marked", index === this.#current && position === this.#marked);
        const grade = this.#book.of(this.#factOf(side));
        for (const button of findAll("[data-grade]", side)) {
          const pressed = grade !== undefined && Math.round(grade.score * 4) + 1 === Number(button.dataset["grade"]);
          button.setAttribute("aria-pressed", String(pressed));
        }
      });
    });
    for (const button of findAll("[data-tab]"))
      button.setAttribute("aria-pressed", String(button.dataset["tab"] === this.#tab));
    const gradable = this.#pairs.filter((pair) => sidesOf(pair).length > 0);
    const graded = gradable.filter((pair) => this.#isGraded(pair)).length;
    find("#progress").textContent = `${graded} of ${gradable.length} pairs graded`;
    find('[data-tab="ungraded"] .count').textContent = String(gradable.length - graded);
    find('[data-do="undo"]').toggleAttribute("disabled", !this.#book.canUndo);
    find('[data-do="save"]').toggleAttribute("disabled", this.#book.size === 0);
    const day = new Date().toISOString().slice(0, 10);
    find("#agreement").textContent = agreementText(this.#facts, (side) => this.#book.of(side), day);
  }

  showTab(tab: string): void {
    this.#tab = tab;
    const first = this.#pairs.findIndex((pair) => this.#isVisible(pair));
    if (first >= 0) {
      this.#current = first;
      this.#marked = 0;
    }
    this.draw();
  }

  /** Returns whether all names are shown now. */
  toggleNames(): boolean {
    this.#revealed = !this.#revealed;
    this.draw();
    return this.#revealed;
  }

  mark(side: number): void {
    this.#goTo(this.#current, side);
  }

  step(by: 1 | -1): void {
    for (let index = this.#current + by; index >= 0 && index < this.#pairs.length; index += by) {
      const pair = this.#pairs[index];
      if (pair && this.#isVisible(pair)) {
        this.#goTo(index);
        return;
      }
    }
  }

  /** Those of the same input first: its names are shown once they are all graded. */
  nextUngraded(): void {
    const { length } = this.#pairs;
    const following = Array.from({ length }, (_, offset) => this.#pairs[(this.#current + offset + 1) % length]);
    const current = this.#pairs[this.#current];
    const next = [...(current ? this.#together(current) : []), ...following].find(
      (pair) => pair && pair !== current && this.#isVisible(pair) && !this.#isGraded(pair),
    );
    if (next) this.#goTo(this.#pairs.indexOf(next), this.#firstUngraded(next));
  }

  /** `value` from 1 to 5, for the marked side. */
  gradeMarked(value: number): void {
    const pair = this.#pairs[this.#current];
    const side = pair && sidesOf(pair)[this.#marked];
    if (side) this.grade(side, value);
  }

  grade(side: HTMLElement, value: number): void {
    const pair = side.closest<HTMLElement>(".pair");
    if (!pair) return;
    this.#book.give(this.#factOf(side), (value - 1) / 4, !pair.classList.contains("revealed"));
    const index = this.#pairs.indexOf(pair);
    if (!this.#isGraded(pair)) {
      this.#goTo(index, this.#firstUngraded(pair));
      return;
    }
    this.#current = index;
    this.#marked = sidesOf(pair).indexOf(side);
    this.draw();
  }

  undo(): void {
    const side = this.#book.undo();
    if (!side) return;
    const at = this.#facts.sides.indexOf(side);
    const element = findAll(`[data-side="${at}"]`)[0];
    const pair = element?.closest<HTMLElement>(".pair");
    if (element && pair) this.#goTo(this.#pairs.indexOf(pair), sidesOf(pair).indexOf(element));
  }

  #goTo(index: number, side = 0): void {
    const pair = this.#pairs[index];
    if (!pair) return;
    this.#current = index;
    this.#marked = Math.min(side, Math.max(0, sidesOf(pair).length - 1));
    this.draw();
    pair.focus({ preventScroll: true });
    pair.scrollIntoView({ block: "nearest" });
  }

  #isVisible(pair: HTMLElement): boolean {
    if (this.#tab === "all") return true;
    if (this.#tab !== "ungraded") return (pair.dataset["kinds"] ?? "").split(" ").includes(this.#tab);
    return sidesOf(pair).length > 0 && (!this.#isGraded(pair) || this.#pairs[this.#current] === pair);
  }

  #isGraded(pair: HTMLElement): boolean {
    return sidesOf(pair).every((side) => this.#book.of(this.#factOf(side)) !== undefined);
  }

  /** Names of one pair would give away those of the others with the same input. */
  #isRevealed(pair: HTMLElement): boolean {
    if (this.#revealed) return true;
    const together = this.#together(pair);
    return together.every((one) => this.#isGraded(one)) && together.some((one) => sidesOf(one).length > 0);
  }

  #firstUngraded(pair: HTMLElement): number {
    return Math.max(
      0,
      sidesOf(pair).findIndex((side) => this.#book.of(this.#factOf(side)) === undefined),
    );
  }

  #together(pair: HTMLElement): readonly HTMLElement[] {
    return this.#byInput.get(pair.dataset["input"]) ?? [];
  }

  #factOf(side: HTMLElement): PageSide {
    const fact = this.#facts.sides[Number(side.dataset["side"])];
    if (!fact) throw new RangeError(`the page knows no side ${side.dataset["side"]}`);
    return fact;
  }
}

function sidesOf(pair: HTMLElement): HTMLElement[] {
  return findAll("[data-side]", pair);
}
