/** What observing a pipeline takes: its calls, its entries, the changes that record them, and the seam they use. */
import { type CallSite, callSitesIn } from "./call-sites.ts";
import { styleOf } from "./code-style.ts";
import { applyEdits, collide, type Edit, insert, unifiedDiff } from "./edits.ts";
import { importOf, type ModuleStyle, moduleStyle } from "./module-style.ts";
import { type NamedFunction, type Pipeline, pipelineOf } from "./pipeline.ts";
import { placeCall } from "./place.ts";
import { placeRun } from "./place-run.ts";
import { type Plan, planOf } from "./plan.ts";
import type { Project } from "./project.ts";
import { recordLines, setupLines } from "./record-lines.ts";
import { seamText } from "./seam.ts";
import { ancestorsOf, isFunction, lineOf, type SourceFile, type SyntaxNode } from "./syntax.ts";

export interface ObservedCall {
  readonly site: CallSite;
  readonly line: number;
  readonly stepKey: string;
  readonly notes: readonly string[];
  /** Absent = the diff records it. */
  readonly unplaced?: { readonly why: string; readonly snippet: readonly string[] };
}

export interface ObservedEntry {
  readonly entry: NamedFunction;
  readonly line: number;
  /** Absent = the diff puts a run around it. */
  readonly unplaced?: { readonly why: string };
}

export interface ObservedFile {
  readonly path: string;
  readonly calls: readonly ObservedCall[];
  readonly entries: readonly ObservedEntry[];
  /** `undefined` where nothing could be placed. */
  readonly diff: string | undefined;
}

export interface Observation {
  readonly pipeline: string;
  readonly style: ModuleStyle;
  readonly files: readonly ObservedFile[];
  readonly seam: string;
  /** Some calls are made outside every function: no run is around them. */
  readonly outsideFunctions: readonly ObservedCall[];
}

/** `undefined` where no call of a known client was found. */
export function observe(project: Project, pipeline: string): Observation | undefined {
  const sites = project.files.flatMap((file) => callSitesIn(file, project));
  if (sites.length === 0) return undefined;
  const functions = pipelineOf(project.files, sites, project);
  const touched = project.files.filter(
    (file) => sites.some((site) => site.file === file) || functions.entries.some((entry) => entry.file === file),
  );
  const style = moduleStyle(project, touched);
  const helpers = new Set<string>();
  const steps = stepNames();
  const files = touched.map((file) => observeFile(file, sites, functions, style, helpers, steps));
  const outsideFunctions = files.flatMap(({ calls }) =>
    calls.filter(({ site }) => functions.owner(site) === undefined),
  );
  return { pipeline, style, files, seam: seamText(pipeline, helpers, style), outsideFunctions };
}

function observeFile(
  file: SourceFile,
  sites: readonly CallSite[],
  { entries, owner }: Pipeline,
  style: ModuleStyle,
  helpers: Set<string>,
  steps: (wish: string) => string,
): ObservedFile {
  const edits: Edit[] = [];
  const imports = new Set<string>();
  const freshName = namesFor(file);
  const calls = sites
    .filter((site) => site.file === file)
    .map((site): ObservedCall => {
      const around = owner(site);
      const plan = planOf(site, steps(around?.name ?? fileName(file)), freshName(around));
      const placement = placeCall(plan);
      const base = { site, line: lineOf(site.call), stepKey: plan.stepKey };
      if (placement.placed && !collide(edits, placement.edits)) {
        edits.push(...placement.edits);
        for (const helper of placement.helpers) imports.add(helper);
        return { ...base, notes: placement.notes };
      }
      const why = placement.placed ? "it stands within another call" : placement.why;
      for (const helper of helpersOf(plan)) helpers.add(helper);
      return { ...base, notes: [], unplaced: { why, snippet: snippetOf(plan) } };
    });
  const runs = entries
    .filter((entry) => entry.file === file)
    .map((entry): ObservedEntry => {
      const placement = placeRun(entry);
      const base = { entry, line: lineOf(entry.node) };
      if (!placement.placed) return { ...base, unplaced: { why: placement.why } };
      edits.push(...placement.edits);
      imports.add("inRun");
      return base;
    });
  for (const name of imports) helpers.add(name);
  return { path: file.path, calls, entries: runs, diff: diffOf(file, edits, imports, style) };
}

function diffOf(
  file: SourceFile,
  edits: readonly Edit[],
  imports: ReadonlySet<string>,
  style: ModuleStyle,
): string | undefined {
  if (edits.length === 0) return undefined;
  const code = styleOf(file);
  const { at, text } = importOf(file, style, [...imports], code);
  const all = [insert(at, text), ...edits].map((edit) => ({ ...edit, text: edit.text.replaceAll(/\r?\n/g, code.eol) }));
  return unifiedDiff(file.path, file.text, applyEdits(file.text, all));
}

/** A step of a run is named for the function that makes the call; further calls of it are numbered. */
function stepNames(): (wish: string) => string {
  const taken = new Map<string, number>();
  return (wish) => {
    const name =
      wish
        .replace(/[^A-Za-z0-9._-]+/g, "_")
        .replace(/^[^A-Za-z0-9]+/, "")
        .slice(0, 100) || "step";
    const count = (taken.get(name) ?? 0) + 1;
    taken.set(name, count);
    return count === 1 ? name : `${name}_${count}`;
  };
}

/** Names that occur nowhere in the file, nor in another change to the same function or to one around or within it. */
function namesFor(file: SourceFile): (around: NamedFunction | undefined) => (wish: string) => string {
  const given = new Map<SyntaxNode, Set<string>>();
  return (around) => {
    const scope = around ? outermostFunction(file, around.node) : file.program;
    const taken = given.get(scope) ?? new Set(file.names);
    given.set(scope, taken);
    return (wish) => {
      let name = wish;
      for (let count = 2; taken.has(name); count += 1) name = `${wish}${count}`;
      taken.add(name);
      return name;
    };
  };
}

function outermostFunction(file: SourceFile, node: SyntaxNode): SyntaxNode {
  return [...ancestorsOf(file, node)].findLast(isFunction) ?? node;
}

function fileName({ path }: SourceFile): string {
  return /([^/]+)\.[^./]+$/.exec(path)?.[1] ?? path;
}

function helpersOf({ site, prompt }: Plan): readonly string[] {
  const reader = site.client === "LangChain" ? "watchModels" : site.reader;
  return [site.delivery === "promises" ? "recordStreamed" : "recordStep", reader, ...prompt.helpers];
}

/** To paste: what goes before the call, and what goes after it. */
function snippetOf(plan: Plan): readonly string[] {
  const { site } = plan;
  const call =
    site.delivery === "whole"
      ? `const ${site.answer} = await …; // the call, as it is`
      : "// the call, and the loop that reads its stream";
  const collects = site.delivery === "events" ? [`// in the loop: ${plan.seen}.add(chunk);`] : [];
  const watched = site.client === "LangChain" ? [`// among its callbacks: { callbacks: [${plan.seen}] }`] : [];
  return [...setupLines(plan), call, ...watched, ...collects, ...recordLines(plan, site.answer)];
}
