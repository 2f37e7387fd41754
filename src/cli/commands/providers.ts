import { BUILTIN_PROVIDERS } from "../../provider/builtin.ts";
import type { ProviderSpec } from "../../provider/provider.ts";
import { providerTable } from "../../provider/table.ts";
import { environment } from "../../workspace/env-file.ts";
import { CliError, type CommandModule, EXIT, type ExitCode, type Io } from "../command.ts";
import { compileFor } from "../compile.ts";
import { printJson } from "../output/json.ts";
import { printTable } from "../output/table.ts";
import { probeProvider } from "../probe-provider.ts";

interface ListFlags {
  readonly config?: string;
  readonly routes?: string;
  readonly envFile?: string;
  readonly json?: boolean;
}

export const command: CommandModule = {
  build(parent, io, run) {
    parent
      .command("list")
      .description("list the providers that routes may name, and whether their key is set here")
      .option("--routes <dir>", "folder of the bundles (default: routes)")
      .option("--config <file>", "configuration file (default: modelrig.yaml)")
      .option("--env-file <file>", "file with provider keys (default: .env where it exists)")
      .option("--json", "print one JSON document")
      .action(run((flags: ListFlags) => list(io, flags)));
    parent
      .command("test")
      .argument("[names...]", "providers to ask (default: every one whose key is set here)")
      .description("ask providers for their model list, which costs nothing, and say which keys work")
      .option("--config <file>", "configuration file (default: modelrig.yaml)")
      .option("--env-file <file>", "file with provider keys (default: .env where it exists)")
      .option("--json", "print one JSON document")
      .action(run((names: string[], flags: ListFlags) => test(io, names, flags)));
  },
};

async function test(io: Io, names: readonly string[], flags: ListFlags): Promise<ExitCode> {
  const { config } = await compileFor(io, { cwd: io.cwd, config: flags.config });
  const variables = environment(io, flags.envFile);
  const table = providerTable(config);
  const unknown = names.find((name) => !table.find(name));
  if (unknown !== undefined) {
    throw new CliError("providers.unknown", `no provider is named ${unknown}, or its base_url is not declared`, {
      exitCode: EXIT.usage,
      fix: "`modelrig providers list` names them",
    });
  }
  const asked = table.all.filter((row) =>
    names.length > 0 ? names.includes(row.name) : !row.simulated && keyState(row, variables) === "set",
  );
  if (asked.length === 0) {
    throw new CliError("providers.no_key", "no provider key is set here", {
      exitCode: EXIT.no,
      fix: "set one, e.g. OPENAI_API_KEY in .env, or name a provider that needs none",
    });
  }
  const results = await Promise.all(
    asked.map((row) => probeProvider(row, row.apiKeyEnv === undefined ? undefined : variables[row.apiKeyEnv])),
  );
  if (flags.json) printJson(io, { schema: "modelrig.provider-test/1", providers: results });
  else {
    const columns = [
      { header: "provider" },
      { header: "answer" },
      { header: "ms", align: "right" as const },
      { header: "detail", shrink: true },
    ];
    printTable(
      io,
      columns,
      results.map(({ name, answer, ms, detail }) => [name, answer, String(ms), detail]),
    );
  }
  return results.every(({ answer }) => answer === "ok") ? EXIT.done : EXIT.no;
}

async function list(io: Io, flags: ListFlags): Promise<ExitCode> {
  const { config, routes } = await compileFor(io, { cwd: io.cwd, routes: flags.routes, config: flags.config });
  const variables = environment(io, flags.envFile);
  const declared = new Set(config.providers.map(({ name }) => name));
  const reachable = providerTable(config).all;
  const unreachable = BUILTIN_PROVIDERS.filter(({ name }) => !reachable.some((row) => row.name === name));
  const rows = [...reachable, ...unreachable].map((row) => ({
    name: row.name,
    dialect: row.dialect,
    base_url: row.baseUrl,
    key: keyState(row, variables),
    key_env: row.apiKeyEnv,
    source: declared.has(row.name) ? "modelrig.yaml" : "built in",
    routes: routes.filter(({ candidates }) => candidates.some(({ provider }) => provider === row.name)).length,
  }));
  if (flags.json) printJson(io, { schema: "modelrig.providers/1", providers: rows });
  else {
    const columns = [
      { header: "provider" },
      { header: "dialect" },
      { header: "key" },
      { header: "routes", align: "right" as const },
      { header: "source" },
      { header: "base url", shrink: true },
    ];
    const cells = rows.map((row) => {
      const key = row.key === "not needed" ? row.key : `${row.key}: ${row.key_env}`;
      return [
        row.name,
        row.dialect,
        key,
        String(row.routes),
        row.source,
        row.base_url || "declare base_url in modelrig.yaml",
      ];
    });
    printTable(io, columns, cells);
  }
  return EXIT.done;
}

function keyState(row: ProviderSpec, variables: Readonly<Record<string, string>>): "set" | "missing" | "not needed" {
  if (row.apiKeyEnv === undefined) return "not needed";
  return variables[row.apiKeyEnv] ? "set" : "missing";
}
