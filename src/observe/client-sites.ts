/** Finds the places where a pipeline makes its model clients. */
import { type Imported, importsOf } from "./imports.ts";
import { memberChain, type NodeOf, type SourceFile, type SyntaxNode, walk } from "./syntax.ts";

/** The function of the SDK that watches a client. */
type Watcher = "wrapOpenAI" | "wrapAnthropic" | "wrapGemini" | "aiSdkMiddleware" | "langchainHandler";

export interface ClientSite {
  readonly file: SourceFile;
  readonly node: NodeOf<"NewExpression"> | NodeOf<"CallExpression">;
  /** As people call it. */
  readonly client: string;
  readonly watcher: Watcher;
  /** Function of the package `ai` that puts a middleware around the model. */
  readonly around?: "wrapLanguageModel" | "wrapEmbeddingModel";
  /** Why no line can be put in; it is left to the user. */
  readonly byHand?: string | undefined;
}

type Named = Pick<ClientSite, "client" | "watcher" | "around" | "byHand">;

export function clientSitesIn(file: SourceFile): readonly ClientSite[] {
  const imports = importsOf(file);
  const providers = aiProvidersOf(file, imports);
  const sites: ClientSite[] = [];
  walk(file.program, (node) => {
    if (node.type !== "NewExpression" && node.type !== "CallExpression") return;
    const named = node.type === "NewExpression" ? constructed(origin(node.callee, imports)) : aiModel(node, providers);
    if (!named || isWatched(file, node)) return;
    const byHand = named.watcher === "langchainHandler" ? whyNoCallback(node) : undefined;
    sites.push({ file, node, ...named, ...(byHand === undefined ? {} : { byHand }) });
  });
  return sites;
}

/** The package and export that a callee is. */
function origin(callee: SyntaxNode, imports: ReadonlyMap<string, Imported>): Imported | undefined {
  const { root, path } = memberChain(callee);
  const imported = root.type === "Identifier" ? imports.get(root.name) : undefined;
  if (!imported) return undefined;
  const name = path.at(-1) ?? (imported.name === "*" ? "default" : imported.name);
  return { module: imported.module, name };
}

function constructed(made: Imported | undefined): Named | undefined {
  if (!made) return undefined;
  const { module, name } = made;
  if (module === "openai" && /^(default|OpenAI|AzureOpenAI)$/.test(name)) return OPENAI;
  if (/^@anthropic-ai\/(sdk|vertex-sdk)$/.test(module) && /^(default|Anthropic|AnthropicVertex)$/.test(name))
    return ANTHROPIC;
  if (module === "@anthropic-ai/bedrock-sdk")
    return { ...ANTHROPIC, byHand: "Bedrock's answers are no HTTP that is read here; record them with rig.recordCall" };
  if (module === "@google/genai" && name === "GoogleGenAI") return GEMINI;
  return isChatModel(made) ? LANGCHAIN : undefined;
}

const OPENAI: Named = { client: "OpenAI SDK", watcher: "wrapOpenAI" };
const ANTHROPIC: Named = { client: "Anthropic SDK", watcher: "wrapAnthropic" };
const GEMINI: Named = { client: "Google Gen AI SDK", watcher: "wrapGemini" };
const LANGCHAIN: Named = { client: "LangChain", watcher: "langchainHandler" };

function isChatModel({ module, name }: Imported): boolean {
  if (!/^(@langchain\/(?!core)|langchain(\/|$))/.test(module)) return false;
  return /^(Azure)?Chat[A-Z]/.test(name) && !/Prompt|History|Message/.test(name);
}

const AI_PROVIDER =
  /^(@ai-sdk\/(?!provider|react|vue|svelte|gateway)|@openrouter\/ai-sdk-provider$|ollama-ai-provider)/;

/** Names that make models: a provider that is imported, or made here by a `create…` function of its package. */
function aiProvidersOf({ program }: SourceFile, imports: ReadonlyMap<string, Imported>): ReadonlySet<string> {
  const isFactory = (name: string): boolean => /^create[A-Z]/.test(name);
  const found = new Set<string>();
  for (const [local, { module, name }] of imports) if (AI_PROVIDER.test(module) && !isFactory(name)) found.add(local);
  walk(program, (node) => {
    if (node.type !== "VariableDeclarator" || node.id.type !== "Identifier") return;
    if (node.init?.type !== "CallExpression") return;
    const made = origin(node.init.callee, imports);
    if (made && AI_PROVIDER.test(made.module) && isFactory(made.name)) found.add(node.id.name);
  });
  return found;
}

const LANGUAGE: ReadonlySet<string> = new Set(["chat", "responses", "completion", "languageModel", "messages"]);
const EMBEDDING: ReadonlySet<string> = new Set(["embedding", "embeddingModel", "textEmbedding", "textEmbeddingModel"]);

/** `openai("id")`, `openai.chat("id")`, `openai.embeddingModel("id")`; images and speech are passed by. */
function aiModel(call: NodeOf<"CallExpression">, providers: ReadonlySet<string>): Named | undefined {
  const { root, path } = memberChain(call.callee);
  if (root.type !== "Identifier" || !providers.has(root.name) || path.length > 1 || call.arguments.length === 0)
    return undefined;
  const [kind] = path;
  const middleware = { client: "AI SDK", watcher: "aiSdkMiddleware" } as const;
  if (kind === undefined || LANGUAGE.has(kind)) return { ...middleware, around: "wrapLanguageModel" };
  return EMBEDDING.has(kind) ? { ...middleware, around: "wrapEmbeddingModel" } : undefined;
}

const WATCHED = /^(wrapOpenAI|wrapAnthropic|wrapGemini)$/;

/** An earlier run, or somebody's hand, has put a watcher around it. */
function isWatched({ parents, text }: SourceFile, node: SyntaxNode): boolean {
  const parent = parents.get(node);
  if (parent?.type === "CallExpression" && parent.callee.type === "Identifier" && WATCHED.test(parent.callee.name))
    return true;
  if (/langchainHandler\(/.test(text.slice(node.start ?? 0, node.end ?? 0))) return true;
  const options = parent && parents.get(parent);
  return (
    options !== undefined &&
    /aiSdkMiddleware\(/.test(text.slice(options.start ?? 0, options.end ?? 0)) &&
    parent?.type === "ObjectProperty"
  );
}

/** The constructor's fields must be written out, without callbacks of their own and without a spread that may hold some. */
function whyNoCallback({ arguments: given }: ClientSite["node"]): string | undefined {
  const [fields] = given;
  if (!fields) return undefined;
  if (fields.type !== "ObjectExpression" || given.length > 1)
    return "its fields are made elsewhere; add the handler to its `callbacks` there";
  const taken = fields.properties.some(
    (one) => one.type === "SpreadElement" || ("key" in one && "name" in one.key && one.key.name === "callbacks"),
  );
  return taken ? "it may have callbacks of its own; add the handler to them" : undefined;
}
