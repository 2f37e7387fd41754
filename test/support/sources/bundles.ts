/** Compiling bundles in tests: one file against the default configuration, with located faults. */
import { type CompileResult, compileAll } from "../../../src/config/compile-all.ts";
import type { Route } from "../../../src/route/route.ts";

const AT = new Date("2026-11-01T00:00:00Z");

export interface Project {
  readonly config?: string;
  /** Files in the routes folder that bundles may name. */
  readonly files?: Readonly<Record<string, string>>;
  readonly file?: string;
}

export function compileText(
  text: string,
  { config, files = {}, file = "routes/acme.task.yaml" }: Project = {},
): Promise<CompileResult> {
  const configFile = config === undefined ? undefined : { file: "modelrig.yaml", text: config };
  return compileAll([{ file, text }], configFile, { at: AT, readFile: (path) => files[path] });
}

/** The one route of a bundle that must compile. */
export async function routeOf(text: string, project: Project = {}): Promise<Route> {
  const result = await compileText(text, project);
  const route = result.ok ? result.value.routes[0] : undefined;
  if (!route) throw new Error(`does not compile: ${JSON.stringify(result.ok ? [] : result.error, null, 1)}`);
  return route;
}

/** Errors and warnings as `line:column code`, in the order they are printed. */
export async function faultsOf(text: string, project: Project = {}): Promise<string[]> {
  const result = await compileText(text, project);
  const faults = result.ok ? result.warnings : result.error;
  return faults.map(({ line, column, code }) => `${line}:${column} ${code}`);
}

/** The smallest bundle that serves, with room for more keys. */
export const bundle = (more = ""): string => `route: acme.task
candidates:
  - { provider: sim, model: atlas-large, params: { max_tokens: 300 } }
  - { provider: sim, model: atlas-small }
${more}`;
