/** Outputs side by side, to be read and graded. Only in a file that stays on the machine the calls were made from. */

import { failureKey } from "../../bakeoff/execution/sample.ts";
import { modelOf } from "../../bakeoff/report/arm-label.ts";
import type { BakeoffReport } from "../../bakeoff/report/bakeoff-report.ts";
import { formatUsd } from "../../money/format.ts";
import { type Html, html, type Part } from "./html.ts";
import { type ChangedPath, changedPaths } from "./json-diff.ts";
import { type PairKind, type Side, type SidePair, sideKey } from "./local-samples.ts";
import { baseOf, dayOf, metricWords } from "./model.ts";
import type { PageSide } from "./page-facts.ts";
import { wordDiff } from "./word-diff.ts";

/** Characters of one text; what is longer is cut, and says so. */
const LONGEST = 20_000;
const MOST_PATHS = 100;

const TABS = {
  regression: "regressions",
  improvement: "improvements",
  both_fail: "both fail",
  different: "different",
  all: "all",
  ungraded: "ungraded by you",
} as const satisfies Record<PairKind | "all" | "ungraded", string>;

export interface SampleSection {
  readonly markup: Html;
  readonly sides: readonly PageSide[];
}

/** `most` pairs of all; the first are those that differ most. */
export function sampleSection(report: BakeoffReport, pairs: readonly SidePair[], most: number): SampleSection {
  const shown = pairs.slice(0, most);
  const sides = new Map<string, { readonly index: number; readonly side: PageSide }>();
  const indexOf = (input: string, side: Side): number | undefined => {
    if (!side.answer) return undefined;
    const key = sideKey(input, side.arm);
    const known = sides.get(key) ?? {
      index: sides.size,
      side: { input, arm: side.arm, inference: side.answer.inferenceId, score: side.score },
    };
    sides.set(key, known);
    return known.index;
  };
  const articles = shown.map((pair, index) => article(report, pair, { number: index + 1, of: shown.length, indexOf }));
  const markup = html`<section aria-labelledby="samples" id="sample-section"><h2 id="samples">Samples side by side</h2>${introduction(report, pairs.length, shown.length)}${toolbar(pairs, shown.length)}<div id="pairs">${articles}</div></section>`;
  return { markup, sides: [...sides.values()].map(({ side }) => side) };
}

function introduction(report: BakeoffReport, all: number, shown: number): Html {
  return html`<p class="notice">This part holds inputs and outputs of your calls. It is made on this machine from files under <code>.modelrig/</code> and is in this file only: whoever gets the file gets the texts.</p><p>${shown} of ${all} pairs are here, those that differ most first; each is an arm beside ${modelOf(baseOf(report))}, on one input, ${dayOf(report.finished_at)}. Sides are shuffled and unnamed until you have graded every output for that input: your grade comes before the measured one.</p>`;
}

function toolbar(pairs: readonly SidePair[], shown: number): Html {
  const onPage = pairs.slice(0, shown);
  const counted = (tab: keyof typeof TABS): string => {
    if (tab === "all") return String(shown);
    if (tab === "ungraded") return "";
    const all = pairs.filter(({ kinds }) => kinds.has(tab)).length;
    const here = onPage.filter(({ kinds }) => kinds.has(tab)).length;
    return here === all ? String(all) : `${here} of ${all}`;
  };
  return html`<div class="toolbar"><div class="tabs" role="group" aria-label="Which pairs">${Object.entries(TABS).map(
    ([tab, words]) =>
      html`<button type="button" data-tab="${tab}" aria-pressed="${tab === "all" ? "true" : "false"}">${words} <span class="count">${counted(tab as keyof typeof TABS)}</span></button>`,
  )}</div><div class="tools"><span id="progress" role="status"></span><button type="button" data-do="mode">diff: <span id="mode-name">fields</span> <kbd>d</kbd></button><button type="button" data-do="undo">undo <kbd>u</kbd></button><button type="button" data-do="next">next ungraded <kbd>n</kbd></button><button type="button" data-do="reveal" aria-pressed="false">show names</button><label>graded by <input id="grader" maxlength="80" autocomplete="off" placeholder="your name"></label><button type="button" data-do="save">save grades</button><button type="button" data-do="help" aria-expanded="false">keys <kbd>?</kbd></button></div><p id="agreement" role="status"></p><p id="saved" role="status"></p>${HELP}<noscript><p class="notice">Without scripts, pairs can be read but not filtered or graded.</p></noscript></div>`;
}

const HELP = html`<dl id="help" hidden>${Object.entries({
  "1 to 5": "grade the marked side, from bad to good",
  "y, x": "good, bad: the same as 5 and 1",
  "h, l": "mark the left or the right side",
  "j, k": "next and previous pair",
  n: "next pair you have not graded",
  u: "undo your last grade",
  d: "fields, words, raw texts",
  "?": "these keys",
}).map(([key, does]) => html`<div><dt><kbd>${key}</kbd></dt><dd>${does}</dd></div>`)}</dl>`;

interface Place {
  readonly number: number;
  readonly of: number;
  readonly indexOf: (input: string, side: Side) => number | undefined;
}

function article(report: BakeoffReport, pair: SidePair, { number, of, indexOf }: Place): Html {
  const { input, own, base, flipped, kinds } = pair;
  const sides: readonly [Side, Side] = flipped ? [own, base] : [base, own];
  const indices = sides.map((side) => indexOf(input.id, side));
  return html`<article class="pair" tabindex="-1" data-kinds="${[...kinds].join(" ")}" data-input="${input.id}" aria-label="Pair ${number} of ${of}"><header><h3>Pair ${number} of ${of}</h3><span class="input-id">input ${input.id}${input.weight !== undefined && input.weight > 1 && `, asked ${input.weight} times`}</span></header><details class="input"><summary>Input</summary><pre>${cut(payloadText(input.payload))}</pre></details>${
    input.golden !== undefined &&
    html`<details class="input"><summary>Expected output</summary><pre>${cut(textOf(input.golden))}</pre></details>`
  }<div class="sides">${sides.map((side, index) => sideHead(report, side, index === 0 ? "A" : "B", indices[index]))}</div>${diffs(sides)}<p class="difference after">${differenceWords(report, pair)}</p></article>`;
}

function sideHead(report: BakeoffReport, side: Side, letter: string, index: number | undefined): Html {
  const buttons =
    index !== undefined &&
    html`<div class="grades" role="group" aria-label="Grade ${letter}">${[1, 2, 3, 4, 5].map((grade) => html`<button type="button" data-grade="${grade}" aria-pressed="false">${grade}</button>`)}</div>`;
  return html`<div class="side"${index !== undefined && html` data-side="${index}"`}><div class="side-head"><b class="letter">${letter}</b><span class="who after">${modelOf(side.arm)}</span>${buttons}</div>${side.answer ? "" : html`<p class="refusal">${noOutput(side)}</p>`}<dl class="facts after">${factsOf(report, side).map(([name, value]) => html`<div><dt>${name}</dt><dd>${value}</dd></div>`)}</dl></div>`;
}

function noOutput({ sample }: Side): string {
  if (!sample) return "was not sent";
  if (sample.failure) return `no conformant output: ${failureKey(sample.failure)}`;
  return "the output was not kept";
}

function factsOf({ metric }: BakeoffReport, { sample, score }: Side): [string, Part][] {
  if (!sample) return [];
  const { cost, costEstimated, latencyMs, rung, served, outcome } = sample;
  return [
    ["measured", score === undefined ? "not scored" : `${Number(score.toFixed(3))} by ${metricWords(metric)}`],
    ["outcome", outcome],
    ["cost", cost === undefined ? "unknown" : formatUsd(cost, { estimated: costEstimated })],
    ["latency", `${Math.round(latencyMs)} ms`],
    ["rung", rung ?? "none"],
    ["served by", served ?? "nothing"],
  ];
}

function differenceWords({ metric }: BakeoffReport, { difference, own, base }: SidePair): string {
  const [arm, against] = [modelOf(own.arm), modelOf(base.arm)];
  if (difference === undefined) return `${metricWords(metric)} could not score both sides: this pair is missing.`;
  if (difference === 0) return `By ${metricWords(metric)} a tie.`;
  return `By ${metricWords(metric)}, ${arm} scored ${Number(Math.abs(difference).toFixed(3))} ${difference > 0 ? "below" : "above"} ${against} on this input.`;
}

function diffs([left, right]: readonly [Side, Side]): Html {
  const [a, b] = [left.answer?.output, right.answer?.output];
  const raw = html`<div data-mode="raw" class="columns">${labelled("A", a)}${labelled("B", b)}</div>`;
  if (a === undefined || b === undefined) {
    const only = html`<div class="columns">${labelled("A", a)}${labelled("B", b)}</div>`;
    return html`<div data-mode="fields">${only}</div><div data-mode="words">${only}</div>${raw}`;
  }
  return html`<div data-mode="fields">${fieldsOf(a, b)}</div><div data-mode="words">${wordsOf(textOf(a), textOf(b))}</div>${raw}`;
}

function labelled(letter: string, output: unknown): Html {
  return html`<div data-label="${letter}">${output !== undefined && html`<pre>${cut(textOf(output))}</pre>`}</div>`;
}

function fieldsOf(left: unknown, right: unknown): Html {
  if (typeof left === "string" && typeof right === "string") return wordsOf(left, right);
  const changes = changedPaths(left, right);
  if (changes.length === 0) return html`<p>The two outputs are the same JSON.</p><pre>${cut(textOf(left))}</pre>`;
  const more =
    changes.length > MOST_PATHS && html`<p>${changes.length - MOST_PATHS} more changed paths are in the raw texts.</p>`;
  return html`<table class="fields"><thead><tr><th scope="col">changed path</th><th scope="col">A</th><th scope="col">B</th></tr></thead><tbody>${changes.slice(0, MOST_PATHS).map(fieldRow)}</tbody></table>${more}`;
}

function fieldRow(change: ChangedPath): Html {
  const value = (side: "left" | "right", letter: string): Html =>
    html`<td data-label="${letter}">${side in change ? html`<pre>${cut(textOf(change[side]))}</pre>` : html`<span class="refusal">absent</span>`}</td>`;
  return html`<tr><th scope="row"><code>${change.path === "" ? "the whole output" : change.path}</code></th>${value("left", "A")}${value("right", "B")}</tr>`;
}

function wordsOf(left: string, right: string): Html {
  if (left === right) return html`<p>The two outputs are the same text.</p><pre>${cut(left)}</pre>`;
  const merged = left.length > LONGEST || right.length > LONGEST ? undefined : wordDiff(left, right);
  if (merged)
    return html`<p class="key"><del>only in A</del> <ins>only in B</ins></p><pre class="words">${merged}</pre>`;
  return html`<p class="key">Too long or too different to align word by word.</p><div class="columns">${labelled("A", left)}${labelled("B", right)}</div>`;
}

function payloadText(payload: SidePair["input"]["payload"]): string {
  return textOf(payload.kind === "variables" ? payload.variables : payload.request);
}

function textOf(value: unknown): string {
  return typeof value === "string" ? value : (JSON.stringify(value, null, 2) ?? "");
}

function cut(text: string): string {
  if (text.length <= LONGEST) return text;
  return `${text.slice(0, LONGEST)}\n… ${text.length - LONGEST} more characters are in the file of outputs.`;
}
