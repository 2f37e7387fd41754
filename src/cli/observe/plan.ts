/** What the ways of placing a call share: its plan, and the edits all of them make. */
import type { CallSite } from "./call-sites.ts";
import { type CodeStyle, indentAt, lineAfter, lineBefore, styleOf } from "./code-style.ts";
import { type Edit, insert } from "./edits.ts";
import { type Prompt, promptOf } from "./prompt.ts";
import { ancestorsOf, bare, endOf, isFunction, type SourceFile, type SyntaxNode, startOf } from "./syntax.ts";

export type Placement =
  | {
      readonly placed: true;
      readonly edits: readonly Edit[];
      readonly helpers: readonly string[];
      readonly notes: readonly string[];
    }
  | { readonly placed: false; readonly why: string };

/** What all ways of placing a call share. */
export interface Plan {
  readonly site: CallSite;
  readonly stepKey: string;
  readonly prompt: Prompt;
  readonly style: CodeStyle;
  /** `started`, or what is free instead. */
  readonly started: string;
  /** The collector of a stream, the watcher of a chain. */
  readonly seen: string;
  readonly freshName: (wish: string) => string;
}

export const notPlaced = (why: string): Placement => ({ placed: false, why });

export function planOf(site: CallSite, stepKey: string, freshName: (wish: string) => string): Plan {
  const prompt = promptOf(site, freshName);
  const style = styleOf(site.file);
  return { site, stepKey, prompt, style, started: freshName("started"), seen: freshName("seen"), freshName };
}

/** The node with the parentheses and type assertions around it. */
export function outermost(file: SourceFile, node: SyntaxNode): SyntaxNode {
  const parent = file.parents.get(node);
  return parent && parent !== bare(parent) ? outermost(file, parent) : node;
}

/** The statement around an expression, if it is in the same function. */
export function statementAround(file: SourceFile, node: SyntaxNode): SyntaxNode | undefined {
  for (const above of ancestorsOf(file, node)) {
    if (isFunction(above)) return undefined;
    if (/(Statement|VariableDeclaration)$/.test(above.type)) {
      const parent = file.parents.get(above);
      return parent?.type === "ExportNamedDeclaration" ? parent : above;
    }
  }
  return undefined;
}

export function isListed(file: SourceFile, statement: SyntaxNode): boolean {
  const parent = file.parents.get(statement);
  return parent?.type === "BlockStatement" || parent?.type === "Program" || parent?.type === "SwitchCase";
}

/** Changes within the call: what was named before it, and a watcher among its callbacks. */
export function callEdits({ site, prompt, seen }: Plan): readonly Edit[] {
  const named = prompt.named.map(({ name, node }) => ({ start: startOf(node), end: endOf(node), text: name }));
  return site.client === "LangChain" ? [...named, watching(site, seen)] : named;
}

function watching({ call }: CallSite, seen: string): Edit {
  const [input, config] = call.arguments;
  if (config?.type === "ObjectExpression") {
    const [first] = config.properties;
    return first
      ? insert(startOf(first), `callbacks: [${seen}], `)
      : insert(endOf(config) - 1, ` callbacks: [${seen}] `);
  }
  return insert(endOf(input ?? call), `, { callbacks: [${seen}] }`);
}

/** A LangChain call whose configuration cannot take a watcher. */
export function whyNotWatched({ client, call }: CallSite): string | undefined {
  if (client !== "LangChain") return undefined;
  const [input, config, ...others] = call.arguments;
  if (!input || others.length > 0 || input.type === "SpreadElement") return "its arguments are not written out";
  if (!config) return undefined;
  if (config.type !== "ObjectExpression")
    return "its configuration is made elsewhere; add the watcher to its callbacks there";
  const taken = config.properties.some(
    (one) => one.type === "ObjectProperty" && !one.computed && "name" in one.key && one.key.name === "callbacks",
  );
  return taken ? "its configuration has callbacks of its own; add the watcher to them" : undefined;
}

export function before({ site: { file }, style }: Plan, statement: SyntaxNode, lines: readonly string[]): Edit {
  const indent = indentAt(file, startOf(statement));
  const at = lineBefore(file, statement);
  if (at !== undefined) return insert(at, lines.map((line) => `${indent}${line}\n`).join(""));
  const inner = indent + style.indent;
  return insert(startOf(statement), lines.map((line) => `${line}\n${inner}`).join(""));
}

export function after({ site: { file } }: Plan, statement: SyntaxNode, lines: readonly string[]): Edit {
  const indent = indentAt(file, startOf(statement));
  return insert(lineAfter(file, endOf(statement)), lines.map((line) => `\n${indent}${line}`).join(""));
}

export function placed(plan: Plan, edits: readonly Edit[], notes: readonly string[] = []): Placement {
  const { site, prompt } = plan;
  const streamed = site.delivery === "promises" ? ["recordStreamed"] : ["recordStep"];
  const reader = site.client === "LangChain" ? "watchModels" : site.reader;
  const why = prompt.why === undefined ? [] : [`The prompt is not kept: ${prompt.why}. Add it as \`prompt\`.`];
  return { placed: true, edits, helpers: [...streamed, reader, ...prompt.helpers], notes: [...notes, ...why] };
}
