/** The edits that put watchers around the clients of one file. */

import type { ClientSite } from "./client-sites.ts";
import { styleOf } from "./code-style.ts";
import { type Edit, insert } from "./edits.ts";
import { importsOf, isCommonjs, lastImport } from "./imports.ts";
import { endOf, type SourceFile, startOf } from "./syntax.ts";

/** Name of the package whose functions are put in. */
export const SDK_PACKAGE = "modelrig-sdk";

/** Tags name the pipeline; what was asked and answered is kept as artifacts. */
export function watchOptions(pipeline: string, quote: (text: string) => string): string {
  return `{ tags: { pipeline: ${quote(pipeline)} }, artifacts: true }`;
}

/** A line more among the imports, and a call around each client. Sites that are left to the user get nothing. */
export function watchingEdits(file: SourceFile, sites: readonly ClientSite[], pipeline: string): readonly Edit[] {
  const placed = sites.filter(({ byHand }) => byHand === undefined);
  if (placed.length === 0) return [];
  const { quote, semicolon, eol } = styleOf(file);
  const names = namesFor(file);
  const fromSdk = new Map<string, string>();
  const fromAi = new Map<string, string>();
  const sdk = (name: string): string => named(fromSdk, name, names);
  const present = importsOf(file);
  const ai = (name: string): string =>
    [...present].find(([, { module, name: its }]) => module === "ai" && its === name)?.[0] ??
    named(fromAi, name, names);
  const edits = placed.flatMap(({ node, watcher, around }) => {
    const options = `${sdk("observerRig")}(), ${watchOptions(pipeline, quote)}`;
    const watch = sdk(watcher);
    if (watcher === "langchainHandler") return [callback(node, `callbacks: [${watch}(${options})]`)];
    const [before, after] = around
      ? [`${ai(around)}({ model: `, `, middleware: ${watch}(${options}) })`]
      : [`${watch}(`, `, ${options})`];
    return [insert(startOf(node), before), insert(endOf(node), after)];
  });
  const line = (from: ReadonlyMap<string, string>, module: string): string => {
    const commonjs = isCommonjs(file);
    const list = [...from]
      .sort()
      .map(([name, local]) => (name === local ? name : `${name}${commonjs ? ":" : " as"} ${local}`));
    const braces = `{ ${list.join(", ")} }`;
    return commonjs
      ? `const ${braces} = require(${quote(module)})${semicolon}`
      : `import ${braces} from ${quote(module)}${semicolon}`;
  };
  const lines = [...(fromAi.size > 0 ? [line(fromAi, "ai")] : []), line(fromSdk, SDK_PACKAGE)];
  return [importing(file, lines, eol), ...edits];
}

function callback({ arguments: given, ...node }: ClientSite["node"], text: string): Edit {
  const [fields] = given;
  if (fields?.type !== "ObjectExpression") return insert((node.end ?? 0) - 1, `{ ${text} }`);
  const [first] = fields.properties;
  return first ? insert(startOf(first), `${text}, `) : insert(endOf(fields) - 1, ` ${text} `);
}

function importing(file: SourceFile, lines: readonly string[], eol: string): Edit {
  const last = lastImport(file);
  if (last) return insert(endOf(last), lines.map((line) => `${eol}${line}`).join(""));
  const [first] = file.program.body;
  return insert(first ? startOf(first) : file.text.length, lines.map((line) => `${line}${eol}`).join(""));
}

function named(taken: Map<string, string>, name: string, fresh: (wish: string) => string): string {
  const local = taken.get(name) ?? fresh(name);
  taken.set(name, local);
  return local;
}

/** Names that occur nowhere in the file. */
function namesFor({ names }: SourceFile): (wish: string) => string {
  return (wish) => {
    let name = wish;
    for (let count = 2; names.has(name); count += 1) name = `${wish}${count}`;
    return name;
  };
}
