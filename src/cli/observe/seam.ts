/** The seam: the one module that a pipeline's files import to record what their calls did. */
import { parse } from "@babel/parser";
import { applyEdits, type Edit } from "./edits.ts";
import type { ModuleStyle } from "./module-style.ts";
import { PART_NEEDS, SEAM_PARTS } from "./seam-parts.ts";
import { endOf, startOf, walk } from "./syntax.ts";

const HEAD = `/**
 * Records what the model calls of this pipeline asked, answered and cost, for a modelrig gateway: runs, steps, artifacts and
 * grades. Written once by \`modelrig observe\`; it is yours now. Without MODELRIG_KEY nothing in it does anything, and
 * nothing in it ever throws into the pipeline.
 */
import { createRig, loadConfigFromEnv } from "modelrig";
import type { RecordCallInput, Rig } from "modelrig";

const PIPELINE = "@PIPELINE@";

/** One model call: what the provider reported of it. */
type Call = Omit<RecordCallInput, "stepKey">;

/** What the readers below take from an answer. */
export interface Answered {
  /** As the model said it. */
  rawText: string;
  /** As the code uses it; \`undefined\` = the same. */
  json?: unknown;
  /** It fits what was asked for, where that was checked. */
  conforms?: boolean;
  calls: readonly Call[];
}

export interface StepWork extends Answered {
  /** Messages, a request or a text. */
  prompt?: unknown;
  /** Of a call that has no latency of its own. */
  latencyMs?: number;
}

/** \`null\` = switched off. */
const rig: Rig | null = openRig();

function openRig(): Rig | null {
  try {
    const config = loadConfigFromEnv();
    if (config.key === undefined) return null;
    // Raw-only on purpose: observing needs no route files.
    return createRig({ ...config, routesDir: null });
  } catch (cause) {
    complain("start", cause);
    return null;
  }
}

// What is still waiting when the process has nothing else to do is sent; what cannot be stays on the disk for the next one.
if (rig !== null) process.once("beforeExit", () => void rig.close());

function complain(what: string, cause: unknown): void {
  console.error(\`[modelrig] \${what} was not recorded: \${cause instanceof Error ? cause.message : String(cause)}\`);
}

/** Runs \`work\` as one run of the pipeline. Overlapping runs stay apart; a run whose work throws has failed. */
export function inRun<T>(work: () => Promise<T>): Promise<T> {
  if (rig === null) return work();
  const environment = process.env["NODE_ENV"] || "development";
  return rig.artifacts.run.scope({ pipeline: PIPELINE, environment }, work);
}

/**
 * Records one step: its calls (tokens, cost, latency), what was asked and answered, where the answer came from, and whether it
 * fits. \`work\` is evaluated only where something is recorded.
 */
export function recordStep(stepKey: string, work: () => StepWork): void {
  if (rig === null) return;
  try {
    const { prompt, rawText, json = rawText, conforms, calls, latencyMs } = work();
    const ids = calls.map((call) => {
      const timed = latencyMs !== undefined && calls.length === 1 ? { latencyMs } : {};
      return rig.recordCall({ ...timed, ...call, stepKey }).inferenceId;
    });
    const id = ids.at(-1);
    const of = { stepKey, ...(id != null ? { inferenceId: id } : {}) };
    const { artifact } = rig.artifacts;
    const asked = prompt === undefined ? null : artifact.save(prompt, { name: \`\${stepKey}.prompt\`, type: "prompt", ...of });
    const raw = artifact.save(rawText, { name: \`\${stepKey}.raw\`, type: "raw_response", ...of });
    const checked = conforms !== undefined ? { conformant: conforms } : {};
    const parsed = artifact.save(json, { name: \`\${stepKey}.output\`, type: "step_output", task: \`\${PIPELINE}.\${stepKey}\`, ...of, ...checked });
    if (parsed === null) return;
    if (asked !== null) artifact.link(parsed, asked, "derived_from");
    if (raw !== null) artifact.link(parsed, raw, "derived_from");
    if (conforms === undefined) return;
    rig.grade({ kind: "artifact", id: parsed.id }, { score: conforms ? 1 : 0, kind: "deterministic", grader: "schema-check" });
  } catch (cause) {
    complain(stepKey, cause);
  }
}

/** \`undefined\` where the text is not JSON. */
export function parsedJson(text: string | null | undefined): unknown {
  if (!text || !/^\\s*[[{]/.test(text)) return undefined;
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
`;

/** Text of the seam for a pipeline that uses these of its functions. */
export function seamText(pipeline: string, helpers: Iterable<string>, style: ModuleStyle): string {
  const needed = new Set([...helpers].flatMap((name) => [...(PART_NEEDS[name] ?? []), name]));
  const parts = Object.entries(SEAM_PARTS).flatMap(([name, text]) => (needed.has(name) ? [text] : []));
  const typed = [HEAD.replace("@PIPELINE@", pipeline), ...parts].join("\n");
  if (style.typescript) return typed;
  const plain = withoutTypes(typed);
  return style.commonjs ? asCommonjs(plain) : plain;
}

/** Takes away what only TypeScript reads. */
export function withoutTypes(text: string): string {
  const { program, comments } = parse(text, { sourceType: "module", plugins: ["typescript"] });
  const gone: Edit[] = [];
  const drop = (start: number, end: number): void => void gone.push({ start, end, text: "" });
  for (const statement of program.body) {
    const declared = statement.type === "ExportNamedDeclaration" ? statement.declaration : statement;
    const typeOnly =
      declared?.type === "TSInterfaceDeclaration" ||
      declared?.type === "TSTypeAliasDeclaration" ||
      (statement.type === "ImportDeclaration" && statement.importKind === "type");
    if (!typeOnly) continue;
    // With the comment that describes it, and the empty line after it.
    const comment = statement.leadingComments?.at(-1);
    const first =
      comment && text.slice(comment.end ?? 0, startOf(statement)).trim() === "" && comment !== comments?.[0]
        ? comment
        : statement;
    const rest = /^\n\n?/.exec(text.slice(endOf(statement)))?.[0].length ?? 0;
    drop(first.start ?? startOf(statement), endOf(statement) + rest);
  }
  walk(program, (node) => {
    if (gone.some(({ start, end }) => startOf(node) >= start && endOf(node) <= end)) return false;
    if (
      node.type === "TSTypeAnnotation" ||
      node.type === "TSTypeParameterDeclaration" ||
      node.type === "TSTypeParameterInstantiation"
    ) {
      drop(startOf(node), endOf(node));
      return false;
    }
    if (node.type === "TSAsExpression") drop(endOf(node.expression), endOf(node));
    if (node.type === "Identifier" && node.optional) {
      const mark = startOf(node) + node.name.length;
      drop(mark, mark + 1);
    }
    return undefined;
  });
  return applyEdits(text, gone);
}

/** `require` loads an ES module where Node is 20.19, 22.12 or later. */
function asCommonjs(text: string): string {
  const names = [...text.matchAll(/^export (?:async )?function (\w+)/gm)].map(([, name = ""]) => name);
  return `"use strict";\n\n${text
    .replace(
      'import { createRig, loadConfigFromEnv } from "modelrig";',
      'const { createRig, loadConfigFromEnv } = require("modelrig");',
    )
    .replaceAll(/^export /gm, "")}\nmodule.exports = { ${names.join(", ")} };\n`;
}
