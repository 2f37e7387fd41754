/** How the pipeline's modules import one another, so that the seam is a module like them. */
import { existsSync, readFileSync } from "node:fs";
import { join, posix } from "node:path";
import type { Project } from "./project.ts";
import { endOf, type NodeOf, type SourceFile, startOf, walk } from "./syntax.ts";

export interface ModuleStyle {
  readonly typescript: boolean;
  /** `require` and `module.exports`, as written in the files. */
  readonly commonjs: boolean;
  /** ES modules that the compiler turns into CommonJS. */
  readonly compiledToCommonjs: boolean;
  /** Path of the seam, relative to the project. */
  readonly seam: string;
  /** Ending of an import of it. */
  readonly ending: string;
}

export function moduleStyle(project: Project, importers: readonly SourceFile[]): ModuleStyle {
  const typescript = importers.some(({ path }) => /tsx?$/.test(path));
  const commonjs = importers.every(isCommonjs);
  const suffix = suffixOf(importers, typescript, commonjs, project.esm);
  const folder = commonFolder(importers.map(({ path }) => posix.dirname(path)));
  const marked = suffix === ".mts" || suffix === ".cts";
  return {
    ...{ typescript, commonjs, seam: posix.join(folder, `record-step${suffix}`) },
    compiledToCommonjs: typescript && !commonjs && !project.esm && suffix !== ".mts",
    ending: endingOf(project, suffix, typescript && !marked),
  };
}

function suffixOf(importers: readonly SourceFile[], typescript: boolean, commonjs: boolean, esm: boolean): string {
  const all = (ending: string): boolean => importers.every(({ path }) => path.endsWith(ending));
  if (typescript) return all(".mts") ? ".mts" : all(".cts") ? ".cts" : ".ts";
  if (commonjs) return esm ? ".cjs" : ".js";
  return esm ? ".js" : ".mjs";
}

function isCommonjs({ program, text }: SourceFile): boolean {
  const modules = program.body.some(({ type }) => type === "ImportDeclaration" || type.startsWith("Export"));
  return !modules && /\brequire\s*\(|\bmodule\.exports\b/.test(text);
}

/** As its neighbours write it; else as the compiler's settings want it. */
function endingOf({ files, root, esm }: Project, suffix: string, free: boolean): string {
  const compiled = suffix.replace("t", "j");
  if (!free) return suffix === ".mts" || suffix === ".cts" ? compiled : suffix;
  const specifiers = files.flatMap(({ program }) =>
    program.body.flatMap((one) =>
      one.type === "ImportDeclaration" && one.source.value.startsWith(".") ? one.source.value : [],
    ),
  );
  const count = (pattern: RegExp): number => specifiers.filter((one) => pattern.test(one)).length;
  const [ts, js] = [count(/\.tsx?$/), count(/\.jsx?$/)];
  if (specifiers.length > 0) return ts > js ? suffix : js > 0 ? compiled : "";
  const settings = existsSync(join(root, "tsconfig.json")) ? readFileSync(join(root, "tsconfig.json"), "utf8") : "";
  if (/"allowImportingTsExtensions"\s*:\s*true/.test(settings)) return suffix;
  if (/"moduleResolution"\s*:\s*"bundler"/i.test(settings)) return "";
  return esm || /"module"\s*:\s*"node(next|\d+)"/i.test(settings) ? compiled : "";
}

function commonFolder(folders: readonly string[]): string {
  const [first = "", ...rest] = folders;
  const parts = first.split("/");
  while (parts.length > 0 && !rest.every((one) => `${one}/`.startsWith(`${parts.join("/")}/`))) parts.pop();
  return parts.join("/") || ".";
}

/** What a file has to write to use functions of the seam, and where. */
export function importOf(
  file: SourceFile,
  style: ModuleStyle,
  names: readonly string[],
  write: { readonly quote: (word: string) => string; readonly semicolon: string },
): { readonly at: number; readonly text: string } {
  const path = posix.relative(posix.dirname(file.path), style.seam.replace(/\.[cm]?[jt]s$/, ""));
  const from = write.quote(`${path.startsWith(".") ? "" : "./"}${path}${style.ending}`);
  const list = `{ ${names.toSorted().join(", ")} }`;
  const line = isCommonjs(file) ? `const ${list} = require(${from})` : `import ${list} from ${from}`;
  const last = lastImport(file);
  if (last) return { at: endOf(last), text: `\n${line}${write.semicolon}` };
  return { at: firstStatement(file), text: `${line}${write.semicolon}\n` };
}

function lastImport({ program }: SourceFile): NodeOf<"ImportDeclaration"> | NodeOf<"VariableDeclaration"> | undefined {
  let last: NodeOf<"ImportDeclaration"> | NodeOf<"VariableDeclaration"> | undefined;
  for (const one of program.body) {
    if (one.type === "ImportDeclaration" || (one.type === "VariableDeclaration" && requires(one))) last = one;
  }
  return last;
}

function requires(declaration: NodeOf<"VariableDeclaration">): boolean {
  let found = false;
  walk(declaration, (node) => {
    if (node.type === "FunctionExpression" || node.type === "ArrowFunctionExpression") return false;
    if (node.type === "CallExpression" && node.callee.type === "Identifier" && node.callee.name === "require")
      found = true;
    return undefined;
  });
  return found;
}

function firstStatement({ program, text }: SourceFile): number {
  const [first] = program.body;
  const directive = program.directives.at(-1);
  if (directive) return text.indexOf("\n", endOf(directive)) + 1 || endOf(directive);
  return first ? startOf(first) : text.length;
}
