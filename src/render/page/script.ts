/** The one script of a page: theme, tabs, diff modes, and grading by keyboard. It reaches no network but its own server. */

import type { GradesFile } from "../../bakeoff/judge/human-grades.ts";
import { AGREEMENT_SCRIPT } from "./agreement-script.ts";

/** What the script is told, as JSON in the page. */
export interface PageFacts {
  readonly bakeoff: string;
  readonly route: string;
  /** The measured score from which an output counts as good. */
  readonly pass: number;
  readonly metric: string;
  readonly sides: readonly {
    readonly input: string;
    readonly arm: string;
    readonly inference?: string | undefined;
    readonly score?: number | undefined;
  }[];
  /** Grades that were given before. */
  readonly given?: Pick<GradesFile, "grader" | "grades"> | undefined;
  /** Where grades are sent as they are given; absent = they are saved as a file. */
  readonly server?: { readonly path: string; readonly token: string } | undefined;
}

export const PAGE_SCRIPT = `"use strict";
(() => {
${AGREEMENT_SCRIPT}
const find = (selector, within = document) => within.querySelector(selector);
const all = (selector, within = document) => [...within.querySelectorAll(selector)];
const store = {
  get(key) { try { return localStorage.getItem(key); } catch { return null; } },
  set(key, value) { try { localStorage.setItem(key, value); return true; } catch { return false; } },
};

const themes = ["auto", "light", "dark"];
const themeButton = find("#theme");
function showTheme(theme) {
  if (theme === "auto") document.documentElement.removeAttribute("data-theme");
  else document.documentElement.setAttribute("data-theme", theme);
  themeButton.textContent = "theme: " + theme;
}
let theme = themes.includes(store.get("modelrig.theme")) ? store.get("modelrig.theme") : "auto";
showTheme(theme);
themeButton.hidden = false;
themeButton.addEventListener("click", () => {
  theme = themes[(themes.indexOf(theme) + 1) % themes.length];
  store.set("modelrig.theme", theme);
  showTheme(theme);
});

const facts = JSON.parse(find("#facts").textContent);
const pairs = all(".pair");
if (pairs.length === 0) return;

const place = "modelrig.grades." + facts.bakeoff;
const keyOf = (side) => JSON.stringify([side.input, side.arm]);
const grades = new Map();
const history = [];
let unsaved = false;
let kept = true;
for (const grade of facts.given?.grades ?? []) grades.set(keyOf(grade), grade);
find("#grader").value = facts.given?.grader ?? "";
try {
  const saved = JSON.parse(store.get(place) ?? "null");
  for (const grade of saved?.grades ?? []) grades.set(keyOf(grade), grade);
  if (saved) find("#grader").value = saved.grader;
} catch { store.set(place, "null"); }

const sidesOf = (pair) => all("[data-side]", pair);
const factOf = (element) => facts.sides[Number(element.dataset.side)];
const isGraded = (pair) => sidesOf(pair).every((side) => grades.has(keyOf(factOf(side))));
const byInput = new Map();
for (const pair of pairs) byInput.set(pair.dataset.input, [...(byInput.get(pair.dataset.input) ?? []), pair]);
/** Names of one pair would give away those of the others with the same input. */
const isRevealed = (pair) => {
  const together = byInput.get(pair.dataset.input);
  return revealed || (together.every(isGraded) && together.some((one) => sidesOf(one).length > 0));
};
let tab = "all";
let revealed = false;
let current = 0;
let marked = 0;

function visible(pair) {
  if (tab === "all") return true;
  if (tab === "ungraded") return sidesOf(pair).length > 0 && (!isGraded(pair) || pairs.indexOf(pair) === current);
  return pair.dataset.kinds.split(" ").includes(tab);
}

function draw() {
  pairs.forEach((pair, index) => {
    pair.hidden = !visible(pair);
    pair.classList.toggle("current", index === current);
    pair.classList.toggle("revealed", isRevealed(pair));
    sidesOf(pair).forEach((side, position) => {
      side.classList.toggle("marked", index === current && position === marked);
      const grade = grades.get(keyOf(factOf(side)));
      for (const button of all("[data-grade]", side)) {
        button.setAttribute("aria-pressed", String(grade !== undefined && Math.round(grade.score * 4) + 1 === Number(button.dataset.grade)));
      }
    });
  });
  for (const button of all("[data-tab]")) button.setAttribute("aria-pressed", String(button.dataset.tab === tab));
  const gradable = pairs.filter((pair) => sidesOf(pair).length > 0);
  find("#progress").textContent = gradable.filter(isGraded).length + " of " + gradable.length + " pairs graded";
  find('[data-tab="ungraded"] .count').textContent = String(gradable.filter((pair) => !isGraded(pair)).length);
  find('[data-do="undo"]').disabled = history.length === 0;
  find('[data-do="save"]').disabled = grades.size === 0;
  find("#agreement").textContent = agreementText();
}

function agreementText() {
  const counts = [0, 0, 0, 0];
  let named = 0;
  for (const side of facts.sides) {
    const grade = grades.get(keyOf(side));
    if (!grade || side.score === undefined) continue;
    if (!grade.blind) { named += 1; continue; }
    const you = grade.score >= 0.5, measured = side.score >= facts.pass;
    counts[you ? (measured ? 0 : 1) : (measured ? 2 : 3)] += 1;
  }
  const found = graderAgreement(...counts);
  const others = named === 0 ? "" : " " + named + " given with names shown are not counted.";
  if (!found) return others.trim();
  if (found.n < 10) return "Agreement with " + facts.metric + ": n " + found.n + ", not shown below 10." + others;
  const percent = (value) => (value * 100).toFixed(1);
  const range = ({ low, high }, write) => "[" + write(low) + ", " + write(high) + "]";
  const kappa = found.kappa === undefined ? "kappa is not defined: one verdict throughout"
    : "kappa " + found.kappa.toFixed(2) + " " + range(found.kappaInterval, (value) => value.toFixed(2));
  return "You and " + facts.metric + " agree on " + (counts[0] + counts[3]) + " of " + found.n + " outputs, " + percent(found.agreement) + "% "
    + range(found.interval, percent) + "; " + kappa + " (95%; good = 3 or more, measured " + facts.pass + " or more; " + new Date().toISOString().slice(0, 10) + ")." + others;
}

function goTo(index, side = 0) {
  current = index;
  marked = Math.min(side, Math.max(0, sidesOf(pairs[index]).length - 1));
  draw();
  pairs[index].focus({ preventScroll: true });
  pairs[index].scrollIntoView({ block: "nearest" });
}

function step(by) {
  for (let index = current + by; index >= 0 && index < pairs.length; index += by) if (visible(pairs[index])) return goTo(index);
}

/** Those of the same input first: its names are shown once they are all graded. */
function nextUngraded() {
  const together = byInput.get(pairs[current].dataset.input).find((pair) => visible(pair) && !isGraded(pair));
  if (together && together !== pairs[current]) {
    const index = pairs.indexOf(together);
    return goTo(index, firstUngraded(index));
  }
  for (let offset = 1; offset <= pairs.length; offset += 1) {
    const index = (current + offset) % pairs.length;
    if (visible(pairs[index]) && !isGraded(pairs[index])) return goTo(index, firstUngraded(index));
  }
}

const firstUngraded = (index) => Math.max(0, sidesOf(pairs[index]).findIndex((side) => !grades.has(keyOf(factOf(side)))));

function grade(element, value) {
  const pair = element.closest(".pair");
  const side = factOf(element);
  const index = pairs.indexOf(pair);
  const before = grades.get(keyOf(side));
  const blind = before === undefined ? !pair.classList.contains("revealed") : before.blind && !pair.classList.contains("revealed");
  history.push({ side, before, index, position: sidesOf(pair).indexOf(element) });
  grades.set(keyOf(side), { input: side.input, arm: side.arm, inference: side.inference, score: (value - 1) / 4, blind, at: new Date().toISOString() });
  keep();
  if (!isGraded(pair)) goTo(index, firstUngraded(index));
  else { current = index; marked = sidesOf(pair).indexOf(element); draw(); }
}

function undo() {
  const last = history.pop();
  if (!last) return;
  if (last.before === undefined) grades.delete(keyOf(last.side));
  else grades.set(keyOf(last.side), last.before);
  keep();
  goTo(last.index, last.position);
}

function gradesDocument() {
  return { schema: "modelrig.grades/1", bakeoff: facts.bakeoff, route: facts.route, grader: find("#grader").value.trim() || "unnamed", grades: [...grades.values()] };
}

function keep() {
  unsaved = true;
  kept = store.set(place, JSON.stringify(gradesDocument()));
  if (facts.server) schedule();
  else say(kept ? "Kept in this browser. Save them as a file, then: modelrig bakeoff grade " + facts.bakeoff + " <file>" : "This browser keeps nothing for files: save the grades before you close the page.");
}

const say = (words) => { find("#saved").textContent = words; };

let timer;
function schedule() {
  clearTimeout(timer);
  timer = setTimeout(send, 400);
}
async function send() {
  try {
    const answer = await fetch(facts.server.path, { method: "POST", headers: { "content-type": "application/json", "x-modelrig-token": facts.server.token }, body: JSON.stringify(gradesDocument()) });
    const said = await answer.json();
    if (!answer.ok) throw new Error(said.message);
    unsaved = false;
    say(said.message);
  } catch (cause) {
    say("Not saved: " + cause.message + ". Is modelrig bakeoff report --serve still running?");
  }
}

function save() {
  if (facts.server) return send();
  const link = document.createElement("a");
  link.href = URL.createObjectURL(new Blob([JSON.stringify(gradesDocument(), null, 2) + "\\n"], { type: "application/json" }));
  link.download = facts.bakeoff + ".grades.json";
  link.click();
  URL.revokeObjectURL(link.href);
  unsaved = false;
  say("Saved as " + link.download + ". Next: modelrig bakeoff grade " + facts.bakeoff + " " + link.download);
}

const MODES = ["fields", "words", "raw"];
function nextMode() {
  const mode = MODES[(MODES.indexOf(document.body.dataset.show) + 1) % MODES.length];
  document.body.dataset.show = mode;
  find("#mode-name").textContent = mode;
}

function help() {
  const list = find("#help");
  list.hidden = !list.hidden;
  find('[data-do="help"]').setAttribute("aria-expanded", String(!list.hidden));
}

function reveal(button) {
  revealed = !revealed;
  button.setAttribute("aria-pressed", String(revealed));
  draw();
}

find("#sample-section").addEventListener("click", (event) => {
  const button = event.target.closest("button");
  if (!button) return;
  if (button.dataset.tab) {
    tab = button.dataset.tab;
    const first = pairs.findIndex(visible);
    if (first >= 0) { current = first; marked = 0; }
    draw();
  } else if (button.dataset.grade) grade(button.closest("[data-side]"), Number(button.dataset.grade));
  else if (button.dataset.do === "mode") nextMode();
  else if (button.dataset.do === "undo") undo();
  else if (button.dataset.do === "next") nextUngraded();
  else if (button.dataset.do === "reveal") reveal(button);
  else if (button.dataset.do === "save") save();
  else if (button.dataset.do === "help") help();
});
find("#grader").addEventListener("change", () => { if (grades.size > 0) keep(); });

document.addEventListener("keydown", (event) => {
  if (event.ctrlKey || event.metaKey || event.altKey || event.target.closest("input, select, textarea")) return;
  const side = sidesOf(pairs[current])[marked];
  const key = event.key;
  if (/^[1-5]$/.test(key) && side) grade(side, Number(key));
  else if (key === "y" && side) grade(side, 5);
  else if (key === "x" && side) grade(side, 1);
  else if (key === "h") goTo(current, 0);
  else if (key === "l") goTo(current, 1);
  else if (key === "j") step(1);
  else if (key === "k") step(-1);
  else if (key === "n") nextUngraded();
  else if (key === "u") undo();
  else if (key === "d") nextMode();
  else if (key === "?") help();
  else return;
  event.preventDefault();
});
addEventListener("beforeunload", (event) => { if (unsaved && !kept) event.preventDefault(); });
draw();
})();
`;
