/**
 * The one script of a bake-off's page: theme, tabs, diff modes, and grading by mouse or keyboard. Built into one piece by
 * scripts/build.ts. It reaches no network but the page's own server.
 */
import type { PageFacts } from "../page/page-facts.ts";
import { find, findAll, findInput } from "./dom.ts";
import { GradeBook } from "./grade-book.ts";
import { PairView } from "./pair-view.ts";
import { startThemeButton } from "./theme-button.ts";

const MODES = ["fields", "words", "raw"];

startThemeButton();
const pairs = findAll(".pair");
if (pairs.length > 0) startGrading(JSON.parse(find("#facts").textContent ?? "") as PageFacts);

function startGrading(facts: PageFacts): void {
  const book = new GradeBook(facts);
  const view = new PairView(facts, book, pairs);
  const actions: Readonly<Record<string, (button: HTMLElement) => void>> = {
    mode: nextMode,
    undo: () => view.undo(),
    next: () => view.nextUngraded(),
    reveal: (button) => button.setAttribute("aria-pressed", String(view.toggleNames())),
    save: () => book.save(),
    help: toggleHelp,
  };
  find("#sample-section").addEventListener("click", ({ target }) => {
    const button = target instanceof Element ? target.closest<HTMLElement>("button") : null;
    if (!button) return;
    const { tab, grade, do: action } = button.dataset;
    const side = button.closest<HTMLElement>("[data-side]");
    if (tab) view.showTab(tab);
    else if (grade && side) view.grade(side, Number(grade));
    else if (action) actions[action]?.(button);
  });
  const keys: Readonly<Record<string, () => void>> = {
    y: () => view.gradeMarked(5),
    x: () => view.gradeMarked(1),
    h: () => view.mark(0),
    l: () => view.mark(1),
    j: () => view.step(1),
    k: () => view.step(-1),
    n: () => view.nextUngraded(),
    u: () => view.undo(),
    d: nextMode,
    "?": toggleHelp,
  };
  document.addEventListener("keydown", (event) => {
    const inField = event.target instanceof Element && event.target.closest("input, select, textarea") !== null;
    if (event.ctrlKey || event.metaKey || event.altKey || inField) return;
    const act = /^[1-5]$/.test(event.key) ? () => view.gradeMarked(Number(event.key)) : keys[event.key];
    if (!act) return;
    act();
    event.preventDefault();
  });
  findInput("#grader").addEventListener("change", () => {
    if (book.size > 0) book.keep();
  });
  addEventListener("beforeunload", (event) => {
    if (book.wouldBeLost) event.preventDefault();
  });
  view.draw();
}

function nextMode(): void {
  const { body } = document;
  const mode = MODES[(MODES.indexOf(body.dataset["show"] ?? "") + 1) % MODES.length] ?? "fields";
  body.dataset["show"] = mode;
  find("#mode-name").textContent = mode;
}

function toggleHelp(): void {
  const list = find("#help");
  list.hidden = !list.hidden;
  find('[data-do="help"]').setAttribute("aria-expanded", String(!list.hidden));
}
