/** Compiles everything the Worker is built from: all bundles and the configuration, checked against each other. */
import type { Result } from "../failure/failure.ts";
import { providerPrices, providerTable } from "../provider/table.ts";
import type { Registry } from "../registry/capability.ts";
import { compileBundle } from "../route/compile-bundle.ts";
import { type Fault, hasErrors, mostImportantLast } from "../route/fault.ts";
import { compileConfig } from "./compile-config.ts";
import type { CompiledBundle, Config } from "./config.ts";
import { DEFAULT_CONFIG } from "./defaults.ts";

export interface YamlFile {
  /** The file's name as faults show it. */
  readonly file: string;
  readonly text: string;
}

interface CompileAllContext {
  /** Day for which prices are looked up. */
  readonly at: Date;
  /** Returns the text of a file in the routes folder, by its path there. */
  readonly readFile: (path: string) => string | undefined;
  readonly registry?: Registry | undefined;
}

/** `warnings` come with a success; an error contains every fault of every file, most important last. */
export type CompileResult = Result<CompiledBundle, readonly Fault[]> & { readonly warnings: readonly Fault[] };

export async function compileAll(
  files: readonly YamlFile[],
  configFile: YamlFile | undefined,
  context: CompileAllContext,
): Promise<CompileResult> {
  const { config, faults: configFaults } = configFile
    ? compileConfig(configFile.file, configFile.text)
    : { config: DEFAULT_CONFIG, faults: [] };
  // A broken configuration has unknown providers, so every route that names one would look wrong.
  if (!config) return { ok: false, error: configFaults, warnings: [] };
  const providers = providerTable(config);
  const prices = providerPrices(providers);
  const compiled = await Promise.all(
    files.map(({ file, text }) => compileBundle(file, text, { ...context, providers, prices })),
  );
  const faults = [...configFaults, ...compiled.flatMap((one) => one.faults)];
  if (hasErrors(faults)) return { ok: false, error: errorsLast(faults), warnings: [] };
  const routes = compiled.flatMap(({ route }) => (route ? [route] : [])).sort((a, b) => (a.name < b.name ? -1 : 1));
  const twice = routes.find((route, index) => routes[index - 1]?.name === route.name);
  if (twice) return { ok: false, error: [declaredTwice(twice.name, files)], warnings: [] };
  return { ok: true, value: bundleOf(routes, config), warnings: mostImportantLast(faults) };
}

/** Plain JSON, without members that are undefined: `dev` hands it to a Worker as a binding, which takes nothing else. */
function bundleOf(routes: CompiledBundle["routes"], config: Config): CompiledBundle {
  const bundle: CompiledBundle = { schema: "modelrig.compiled/1", routes, config };
  return JSON.parse(JSON.stringify(bundle)) as CompiledBundle;
}

/** Keeps faults of one file together in their order; warnings come first overall. */
function errorsLast(faults: readonly Fault[]): Fault[] {
  return [
    ...faults.filter(({ severity }) => severity === "warning"),
    ...faults.filter(({ severity }) => severity === "error"),
  ];
}

/** Two files declare one name only if their endings differ, `a.yaml` and `a.yml`. */
function declaredTwice(name: string, files: readonly YamlFile[]): Fault {
  const file =
    files.filter((it) => it.file.endsWith(`${name}.yml`) || it.file.endsWith(`${name}.yaml`)).at(-1)?.file ?? name;
  const message = `route ${name} is declared by two files; keep one of ${name}.yaml and ${name}.yml`;
  return {
    severity: "error",
    code: "route.declared_twice",
    message,
    file,
    line: 1,
    column: 1,
    length: 1,
    path: "route",
    rank: "meaning",
  };
}
