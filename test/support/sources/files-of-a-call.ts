/**
 * Finds out which files of the project a request runs through: the Worker is built with a mark in every function, and
 * served by workerd with its objects and a queue. A file counts once any function of it ran; what only runs when a module
 * is loaded, and what libraries do, does not count.
 */
import { readFileSync } from "node:fs";
import { relative } from "node:path";
import { fileURLToPath } from "node:url";
import { parse } from "@babel/parser";
import { build, type Plugin } from "esbuild";
import { Miniflare } from "miniflare";

const root = fileURLToPath(new URL("../../../", import.meta.url));

/** Answers `/ran` with the files since it was last asked, and everything else as the Worker does. */
const ENTRY = `
import worker from "./workers/index.ts";
export { RouteBreaker, SpendEnvelopes, HostedBakeoffRun } from "./workers/index.ts";
export default {
  ...worker,
  fetch(request, env, context) {
    if (new URL(request.url).pathname !== "/ran") return worker.fetch(request, env, context);
    const files = [...ran];
    ran.clear();
    return Response.json(files);
  },
};`;

const marked: Plugin = {
  name: "marked functions",
  setup(plugin) {
    plugin.onResolve({ filter: /^modelrig:compiled$/ }, ({ path }) => ({ path, namespace: "compiled" }));
    plugin.onLoad({ filter: /.*/, namespace: "compiled" }, () => ({ contents: "{}", loader: "json" }));
    plugin.onLoad({ filter: /\.ts$/ }, ({ path }) => {
      if (path.includes("node_modules")) return undefined;
      return { contents: withMarks(readFileSync(path, "utf8"), relative(root, path)), loader: "ts" };
    });
  },
};

/** The source with `ran.add(file)` at the start of every function. */
export function withMarks(source: string, file: string): string {
  const mark = `ran.add(${JSON.stringify(file)})`;
  const insertions: { readonly at: number; readonly text: string }[] = [];
  const visit = (node: unknown): void => {
    if (Array.isArray(node)) for (const one of node) visit(one);
    if (!isNode(node)) return;
    if (FUNCTIONS.has(node.type) && isNode(node.body)) {
      const { type, start, end, extra } = node.body;
      if (type === "BlockStatement") insertions.push({ at: start + 1, text: `${mark};` });
      else {
        const parens = extra?.parenthesized === true;
        insertions.push({ at: extra?.parenStart ?? start, text: `(${mark}, ` });
        insertions.push({ at: parens ? source.indexOf(")", end) + 1 : end, text: ")" });
      }
    }
    for (const child of Object.values(node)) if (typeof child === "object") visit(child);
  };
  visit(parse(source, { sourceType: "module", plugins: ["typescript"] }).program);
  let text = source;
  for (const { at, text: more } of insertions.sort((a, b) => b.at - a.at)) {
    text = text.slice(0, at) + more + text.slice(at);
  }
  return text;
}

const FUNCTIONS: ReadonlySet<string> = new Set([
  "ArrowFunctionExpression",
  "ClassMethod",
  "ClassPrivateMethod",
  "FunctionDeclaration",
  "FunctionExpression",
  "ObjectMethod",
]);

interface SourceNode {
  readonly type: string;
  readonly start: number;
  readonly end: number;
  readonly body?: unknown;
  readonly extra?: { readonly parenthesized?: boolean; readonly parenStart?: number };
}

function isNode(value: unknown): value is SourceNode {
  return typeof value === "object" && value !== null && "type" in value && typeof value.type === "string";
}

export interface MarkedWorker {
  readonly url: URL;
  /** Files that ran since this was last asked, by path. */
  ran(): Promise<readonly string[]>;
  close(): Promise<void>;
}

/** `bindings` are plain values of the Worker's environment. */
export async function startMarkedWorker(bindings: Readonly<Record<string, string | object>>): Promise<MarkedWorker> {
  const built = await build({
    stdin: { contents: ENTRY, resolveDir: root },
    ...{ absWorkingDir: root, bundle: true, write: false, format: "esm", target: "es2024", logLevel: "silent" },
    mainFields: ["browser", "module", "main"],
    conditions: ["workerd", "worker", "browser", "import"],
    external: ["cloudflare:*", "node:*"],
    banner: { js: "globalThis.ran = new Set();" },
    plugins: [marked],
  });
  const [script] = built.outputFiles;
  if (!script) throw new Error("nothing was built");
  const worker = new Miniflare({
    ...{ host: "127.0.0.1", port: 0, cf: false, modules: true, compatibilityDate: "2026-07-30" },
    compatibilityFlags: ["enable_request_signal"],
    script: script.text,
    bindings: bindings as Record<string, never>,
    durableObjects: {
      ROUTE_BREAKER: { className: "RouteBreaker", useSQLite: true },
      SPEND_ENVELOPES: { className: "SpendEnvelopes", useSQLite: true },
    },
    queueProducers: { TELEMETRY: "telemetry" },
    unsafeDirectSockets: [{ host: "127.0.0.1", port: 0 }],
  });
  const url = await worker.unsafeGetDirectURL();
  return {
    url,
    ran: async () => (await (await fetch(new URL("/ran", url))).json()) as readonly string[],
    close: () => worker.dispose(),
  };
}
