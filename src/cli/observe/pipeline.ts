/** The functions of a pipeline: which of them reach a model, and where it is entered. */
import type { CallSite } from "./call-sites.ts";
import { declarationOf, exportOf, type Files } from "./origin.ts";
import {
  ancestorsOf,
  type FunctionSyntax,
  isFunction,
  keyOf,
  type SourceFile,
  type SyntaxNode,
  walk,
} from "./syntax.ts";

export interface NamedFunction {
  readonly file: SourceFile;
  readonly node: FunctionSyntax;
  readonly name: string;
  readonly exported: boolean;
}

/** The functions that have a name, by declaration, variable, property or method. */
export function functionsIn(file: SourceFile): readonly NamedFunction[] {
  const found: NamedFunction[] = [];
  walk(file.program, (node) => {
    if (!isFunction(node)) return;
    const name = nameOf(file, node);
    if (name !== undefined) found.push({ file, node, name, exported: isExported(file, node, name) });
  });
  return found;
}

export function nameOf(file: SourceFile, node: FunctionSyntax): string | undefined {
  if ((node.type === "FunctionDeclaration" || node.type === "FunctionExpression") && node.id) return node.id.name;
  if (node.type === "ObjectMethod" || node.type === "ClassMethod" || node.type === "ClassPrivateMethod")
    return keyOf(node.key);
  const parent = file.parents.get(node);
  switch (parent?.type) {
    case "VariableDeclarator":
      return parent.id.type === "Identifier" ? parent.id.name : undefined;
    case "ObjectProperty":
    case "ClassProperty":
      return keyOf(parent.key);
    case "AssignmentExpression":
      return parent.left.type === "MemberExpression" ? keyOf(parent.left.property) : undefined;
    case "ExportDefaultDeclaration":
      return (/([^/]+)\.[^./]+$/.exec(file.path)?.[1] ?? "default").replace(/\W+/g, "_");
    default:
      return undefined;
  }
}

function isExported(file: SourceFile, node: FunctionSyntax, name: string): boolean {
  const around = [...ancestorsOf(file, node)];
  if (around.some(isFunction)) return false;
  if (around.some(({ type }) => type === "ExportNamedDeclaration" || type === "ExportDefaultDeclaration")) return true;
  const owner = around.find((one) => one.type === "ClassDeclaration");
  const local = owner?.type === "ClassDeclaration" ? owner.id?.name : name;
  return local !== undefined && (isExportedByName(file, local) || isCommonExport(file, local));
}

function isExportedByName(file: SourceFile, local: string): boolean {
  return file.program.body.some(
    (one) =>
      (one.type === "ExportNamedDeclaration" &&
        one.specifiers.some((each) => each.type === "ExportSpecifier" && each.local.name === local)) ||
      (one.type === "ExportDefaultDeclaration" &&
        one.declaration.type === "Identifier" &&
        one.declaration.name === local),
  );
}

/** `module.exports = { run }`, `exports.run = run`. */
function isCommonExport(file: SourceFile, local: string): boolean {
  return file.program.body.some((one) => {
    if (one.type !== "ExpressionStatement" || one.expression.type !== "AssignmentExpression") return false;
    const { left, right } = one.expression;
    if (!/^(module\.exports|exports)\b/.test(file.text.slice(left.start ?? 0, left.end ?? 0))) return false;
    let names = false;
    walk(right, (node) => {
      if (node.type === "Identifier" && node.name === local) names = true;
    });
    return names;
  });
}

export interface Pipeline {
  /** Where the pipeline is entered, each time it runs. */
  readonly entries: readonly NamedFunction[];
  /** The named function around a call. */
  readonly owner: (site: CallSite) => NamedFunction | undefined;
}

export function pipelineOf(files: readonly SourceFile[], sites: readonly CallSite[], project: Files): Pipeline {
  const functions = files.flatMap(functionsIn);
  const byNode = new Map<SyntaxNode, NamedFunction>(functions.map((one) => [one.node, one]));
  const owning = (file: SourceFile, node: SyntaxNode): NamedFunction | undefined => {
    for (const above of ancestorsOf(file, node)) {
      const owner = byNode.get(above);
      if (owner) return owner;
    }
    return undefined;
  };
  const callers = callersOf(files, functions, byNode, owning, project);
  const reaching = new Set<NamedFunction>();
  const visit = (one: NamedFunction): void => {
    if (reaching.has(one)) return;
    reaching.add(one);
    for (const caller of callers.get(one) ?? []) visit(caller);
  };
  const owner = (site: CallSite): NamedFunction | undefined => owning(site.file, site.call);
  for (const site of sites) {
    const around = owner(site);
    if (around) visit(around);
  }
  return { entries: entriesOf(reaching, callers), owner };
}

/** The exported functions that no other exported one leads to; where none is exported, those that nothing calls. */
function entriesOf(reaching: ReadonlySet<NamedFunction>, callers: Callers): readonly NamedFunction[] {
  const leads = (one: NamedFunction, found: Set<NamedFunction>): Set<NamedFunction> => {
    for (const caller of callers.get(one) ?? []) {
      if (found.has(caller)) continue;
      found.add(caller);
      leads(caller, found);
    }
    return found;
  };
  const topmost = (candidates: readonly NamedFunction[]): readonly NamedFunction[] =>
    candidates.filter((one) =>
      [...leads(one, new Set())].every((other) => other === one || !candidates.includes(other)),
    );
  const exported = [...reaching].filter((one) => one.exported);
  return topmost(exported.length > 0 ? exported : [...reaching]);
}

type Callers = ReadonlyMap<NamedFunction, ReadonlySet<NamedFunction>>;

/** Whoever names a function may call it: a call, a callback, an entry of a table. */
function callersOf(
  files: readonly SourceFile[],
  functions: readonly NamedFunction[],
  byNode: ReadonlyMap<SyntaxNode, NamedFunction>,
  owning: (file: SourceFile, node: SyntaxNode) => NamedFunction | undefined,
  project: Files,
): Callers {
  const methods = new Map<string, NamedFunction[]>();
  for (const one of functions) {
    if (one.node.type === "ClassMethod" || one.node.type === "ObjectMethod" || one.node.type === "ClassPrivateMethod")
      methods.set(one.name, [...(methods.get(one.name) ?? []), one]);
  }
  const callers = new Map<NamedFunction, Set<NamedFunction>>();
  const note = (called: NamedFunction | undefined, caller: NamedFunction | undefined): void => {
    if (called && caller) callers.set(called, (callers.get(called) ?? new Set()).add(caller));
  };
  for (const file of files) {
    walk(file.program, (node, parent) => {
      if (node.type === "MemberExpression" && !node.computed) {
        for (const method of methods.get(keyOf(node.property) ?? "") ?? []) note(method, owning(file, node));
      }
      if (node.type !== "Identifier" || isPropertyName(node, parent)) return;
      const target = functionNamed(file, node, project);
      note(target && byNode.get(target), owning(file, node));
    });
  }
  for (const one of functions) note(one, owning(one.file, one.node));
  return callers;
}

function isPropertyName(node: SyntaxNode, parent: SyntaxNode | undefined): boolean {
  if (parent?.type === "MemberExpression") return parent.property === node && !parent.computed;
  if (parent?.type === "ObjectProperty") return parent.key === node && parent.value !== node && !parent.computed;
  if (parent?.type === "FunctionDeclaration" || parent?.type === "FunctionExpression") return parent.id === node;
  return parent?.type === "VariableDeclarator" && parent.id === node;
}

function functionNamed(file: SourceFile, node: SyntaxNode, project: Files): SyntaxNode | undefined {
  if (node.type !== "Identifier") return undefined;
  const declared = declarationOf(file, node);
  if (declared?.kind === "value") return isFunction(declared.node) ? declared.node : undefined;
  if (declared?.kind !== "import" || !declared.module.startsWith(".")) return undefined;
  const other = project.resolve(file, declared.module);
  return other && exportOf(other, declared.name);
}
