/** Finds the places where a pipeline calls a model. */
import {
  AI_FUNCTIONS,
  type ClientCall,
  METHODS,
  providerOfPackage,
  providerOfUrl,
  RUNNABLE_METHODS,
} from "./clients.ts";
import { declarationOf, exportOf, type Files, type Origin, originOf, returnsOf } from "./origin.ts";
import {
  isFunction,
  keyOf,
  memberChain,
  type NodeOf,
  propertyOf,
  type SourceFile,
  type SyntaxNode,
  walk,
} from "./syntax.ts";

export interface CallSite extends ClientCall {
  readonly file: SourceFile;
  readonly call: NodeOf<"CallExpression">;
  /** `undefined` where the code does not say it. */
  readonly servedBy: string | undefined;
  /** The model as the code names it, where its answers do not. */
  readonly model: string | undefined;
  /** The request asks for the usage of a stream. */
  readonly usageAsked: boolean;
}

export function callSitesIn(file: SourceFile, files: Files): readonly CallSite[] {
  const found: CallSite[] = [];
  walk(file.program, (node) => {
    if (node.type !== "CallExpression") return;
    const site = siteOf(file, node, files);
    if (site) found.push(site);
  });
  return found;
}

function siteOf(file: SourceFile, call: NodeOf<"CallExpression">, files: Files): CallSite | undefined {
  const callee = call.callee;
  if (callee.type !== "MemberExpression" && callee.type !== "Identifier") return undefined;
  return methodSite(file, call, files) ?? functionSite(file, call, files) ?? runnableSite(file, call, files);
}

function methodSite(file: SourceFile, call: NodeOf<"CallExpression">, files: Files): CallSite | undefined {
  const { path } = memberChain(call.callee);
  const row = METHODS.find(({ path: wanted }) =>
    wanted.every((name, index) => path.at(index - wanted.length) === name),
  );
  if (!row) return undefined;
  const origin = originOf(file, call.callee, files);
  if (origin ? !row.modules.includes(origin.module) : !row.distinct && !importsAny(file, row.modules)) return undefined;
  const [request] = call.arguments;
  const streams = isTrue(propertyOf(request, "stream"));
  const delivery = streams && row.streamReader !== undefined ? "events" : row.delivery;
  return {
    ...{ file, call, client: row.client, prompt: row.prompt, provider: row.provider, answer: row.answer, delivery },
    reader: delivery === "events" ? (row.streamReader ?? row.reader) : row.reader,
    method: row.path.join("."),
    servedBy: origin ? servedBy(origin, row.provider) : row.provider,
    model: undefined,
    usageAsked: isTrue(propertyOf(propertyOf(request, "stream_options"), "include_usage")),
  };
}

/** A client may be pointed at another provider of the same dialect. */
function servedBy({ name, made }: Origin, provider: string): string | undefined {
  if (name.startsWith("Azure")) return "azure";
  const options = made?.node.arguments[0];
  const url = propertyOf(options, "baseURL");
  if (!url) return provider;
  return url.type === "StringLiteral" ? providerOfUrl(url.value) : undefined;
}

function functionSite(file: SourceFile, call: NodeOf<"CallExpression">, files: Files): CallSite | undefined {
  const { root, path } = memberChain(call.callee);
  if (root.type !== "Identifier" || path.length > 1) return undefined;
  const declared = declarationOf(file, root);
  if (declared?.kind !== "import" || declared.module !== "ai") return undefined;
  const name = declared.name === "*" ? path[0] : declared.name;
  const row = name === undefined ? undefined : AI_FUNCTIONS[name];
  if (!row || name === undefined) return undefined;
  const model = propertyOf(call.arguments[0], "model");
  const named = model ? aiModel(file, model, files) : undefined;
  return { ...row, file, call, method: name, servedBy: named?.provider, model: named?.model, usageAsked: true };
}

interface NamedModel {
  readonly provider: string | undefined;
  readonly model: string | undefined;
}

/** `openai("gpt-5")`, a variable that holds it, or `"openai/gpt-5"`. */
function aiModel(file: SourceFile, node: SyntaxNode, files: Files): NamedModel | undefined {
  const literal = literalOf(file, node);
  if (literal !== undefined) {
    const slash = literal.indexOf("/");
    return slash > 0 ? { provider: literal.slice(0, slash), model: literal.slice(slash + 1) } : undefined;
  }
  const origin = originOf(file, node, files);
  if (!origin) return undefined;
  return { provider: providerOfPackage(origin.module), model: modelId(file, node, files) };
}

/** The `"id"` of `openai("id")` and `openai.embeddingModel("id")`, also where a variable holds it. */
function modelId(file: SourceFile, node: SyntaxNode, files: Files, depth = 0): string | undefined {
  if (node.type === "CallExpression") {
    const [id] = node.arguments;
    return id ? literalOf(file, id) : undefined;
  }
  const declared = node.type === "Identifier" && depth < 8 ? declarationOf(file, node) : undefined;
  if (declared?.kind === "value") return modelId(file, declared.node, files, depth + 1);
  const other = declared?.kind === "import" ? files.resolve(file, declared.module) : undefined;
  const exported = other && declared?.kind === "import" ? exportOf(other, declared.name) : undefined;
  return other && exported ? modelId(other, exported, files, depth + 1) : undefined;
}

function runnableSite(file: SourceFile, call: NodeOf<"CallExpression">, files: Files): CallSite | undefined {
  if (call.callee.type !== "MemberExpression") return undefined;
  const method = keyOf(call.callee.property);
  const row = method === undefined ? undefined : RUNNABLE_METHODS[method];
  if (!row || method === undefined) return undefined;
  const model = modelWithin(file, call.callee.object, files, new Set());
  if (!model) return undefined;
  const options = model.made?.node.arguments[0];
  const name = propertyOf(options, "model") ?? propertyOf(options, "modelName");
  return {
    ...{ ...row, file, call, method, usageAsked: true },
    servedBy: providerOfPackage(model.module),
    model: name && model.made ? literalOf(model.made.file, name) : undefined,
  };
}

/** The chat model that a chain, an agent or a variable is made of, however deep. */
function modelWithin(
  file: SourceFile,
  expression: SyntaxNode,
  files: Files,
  seen: Set<SyntaxNode>,
): Origin | undefined {
  if (seen.has(expression)) return undefined;
  seen.add(expression);
  let model: Origin | undefined;
  walk(expression, (node, parent) => {
    if (model || isFunction(node)) return false;
    if (parent?.type === "MemberExpression" && parent.property === node && !parent.computed) return false;
    if (node.type === "NewExpression" || node.type === "CallExpression" || node.type === "Identifier") {
      const origin = originOf(file, node, files);
      if (origin && isChatModel(origin)) model = origin;
    }
    if (!model && node.type === "Identifier") model = modelBehind(file, node, files, seen);
    return undefined;
  });
  return model;
}

function modelBehind(
  file: SourceFile,
  node: NodeOf<"Identifier">,
  files: Files,
  seen: Set<SyntaxNode>,
): Origin | undefined {
  const declared = declarationOf(file, node);
  if (!declared || declared.kind === "type") return undefined;
  if (declared.kind === "value") {
    if (declared.destructured) return undefined;
    return firstOf(madeOf(declared.node), (value) => modelWithin(file, value, files, seen));
  }
  const other = declared.module.startsWith(".") ? files.resolve(file, declared.module) : undefined;
  const exported = other && exportOf(other, declared.name);
  return other && exported ? firstOf(madeOf(exported), (value) => modelWithin(other, value, files, seen)) : undefined;
}

function madeOf(node: SyntaxNode): readonly SyntaxNode[] {
  return isFunction(node) ? returnsOf(node) : [node];
}

function firstOf<T, R>(values: readonly T[], find: (value: T) => R | undefined): R | undefined {
  for (const value of values) {
    const found = find(value);
    if (found !== undefined) return found;
  }
  return undefined;
}

function isChatModel({ module, name }: Origin): boolean {
  if (!/^(@langchain\/(?!core)|langchain(\/|$))/.test(module)) return false;
  return (/^(Azure)?Chat[A-Z]/.test(name) && !/Prompt|History|Message/.test(name)) || name === "initChatModel";
}

function importsAny(file: SourceFile, modules: readonly string[]): boolean {
  return file.program.body.some((node) => node.type === "ImportDeclaration" && modules.includes(node.source.value));
}

/** The text of a string, or of the constant that a name stands for. */
function literalOf(file: SourceFile, node: SyntaxNode): string | undefined {
  if (node.type === "StringLiteral") return node.value;
  if (node.type !== "Identifier") return undefined;
  const declared = declarationOf(file, node);
  return declared?.kind === "value" && declared.node.type === "StringLiteral" ? declared.node.value : undefined;
}

function isTrue(node: SyntaxNode | undefined): boolean {
  return node?.type === "BooleanLiteral" && node.value;
}
