import { existsSync, writeFileSync } from "node:fs";
import { join, relative } from "node:path";
import type { Command } from "commander";
import { makeFolder } from "../../localdb/make-folder.ts";
import { nanoToUsdText } from "../../money/nano-usd.ts";
import { nearest } from "../../route/fault.ts";
import { type NarrowedRoute, narrow, variantNames } from "../../route/narrow.ts";
import type { Budget, Candidate, Route } from "../../route/route.ts";
import { compileFolder } from "../../workspace/compile-folder.ts";
import { CliError, type CommandModule, EXIT, type ExitCode, type Io, type RunAction } from "../command.ts";
import { compileFor } from "../compile.ts";
import { printFaults } from "../output/faults.ts";
import { printJson } from "../output/json.ts";
import { printTable } from "../output/table.ts";
import { starterBundle, starterName } from "../starter-bundle.ts";

interface FolderFlags {
  readonly routes?: string;
  readonly config?: string;
  readonly json?: boolean;
}

export const command: CommandModule = {
  build(parent, io, run) {
    withFolder(parent.command("check"))
      .description("check every bundle and modelrig.yaml; exit 3 when one is invalid")
      .action(check(io, run));
    withFolder(parent.command("list"))
      .description("list the routes with their ladder and variants")
      .action(list(io, run));
    withFolder(parent.command("show <name>"))
      .description("show a route as compiled, or as one of its variants")
      .option("--variant <name>", "the narrowing to show (default: the route as declared)")
      .action(show(io, run));
    parent
      .command("new <name>")
      .description("write a commented bundle that works with the simulated provider")
      .option("--routes <dir>", "folder of the bundles (default: routes)")
      .option("--json", "print one JSON document")
      .action(create(io, run));
  },
};

function withFolder(command: Command): Command {
  return command
    .option("--routes <dir>", "folder of the bundles (default: routes)")
    .option("--config <file>", "configuration file (default: modelrig.yaml)")
    .option("--json", "print one JSON document");
}

const check = (io: Io, run: RunAction) =>
  run(async (flags: FolderFlags): Promise<ExitCode> => {
    const { result, texts } = await compileFolder({ cwd: io.cwd, ...flags });
    const faults = result.ok ? result.warnings : result.error;
    const routes = result.ok ? result.value.routes.map(({ name, hash }) => ({ name, hash })) : [];
    if (result.ok && routes.length === 0) {
      throw new CliError("routes.none", "there is no route to check", { fix: "modelrig routes new acme.my_task" });
    }
    if (flags.json) {
      const shown = faults.map(({ rank: _rank, ...fault }) => fault);
      printJson(io, { schema: "modelrig.routes-check/1", ok: result.ok, routes, faults: shown });
      return result.ok ? EXIT.done : EXIT.no;
    }
    printFaults(io, faults, texts);
    const errors = faults.filter(({ severity }) => severity === "error").length;
    const warned = counted(faults.length - errors, "warning");
    if (!result.ok) {
      io.stderr.write(`${counted(errors, "error")}, ${warned}\n`);
      return EXIT.no;
    }
    io.stdout.write(`${counted(routes.length, "route")} valid, ${warned}\n`);
    return EXIT.done;
  });

const list = (io: Io, run: RunAction) =>
  run(async (flags: FolderFlags): Promise<ExitCode> => {
    const routes = await compiledRoutes(io, flags);
    if (flags.json) {
      printJson(io, { schema: "modelrig.routes/1", routes });
      return EXIT.done;
    }
    const columns = [
      { header: "route" },
      { header: "variants" },
      { header: "ladder", shrink: true },
      { header: "capture" },
    ];
    const rows = routes.map((route) => [
      route.name,
      variantNames(route).join(" "),
      route.candidates.map(candidateText).join(" > "),
      route.capture ? "on" : "off",
    ]);
    printTable(io, columns, rows);
    return EXIT.done;
  });

const show = (io: Io, run: RunAction) =>
  run(async (name: string, flags: FolderFlags & { readonly variant?: string }): Promise<ExitCode> => {
    const routes = await compiledRoutes(io, flags);
    const route = routes.find((it) => it.name === name);
    if (!route) throw unknownRoute(name, routes);
    const narrowed = narrow(route, flags.variant);
    if (!narrowed.ok) throw new CliError("routes.unknown_variant", narrowed.error.message, { exitCode: EXIT.usage });
    if (flags.json) {
      const { candidates, template, output, variant } = narrowed.value;
      printJson(io, { schema: "modelrig.route/1", variant, route: { ...route, candidates, template, output } });
    } else io.stdout.write(routeText(narrowed.value));
    return EXIT.done;
  });

const create = (io: Io, run: RunAction) =>
  run(async (name: string, flags: Pick<FolderFlags, "routes" | "json">): Promise<ExitCode> => {
    const faulty = starterName(name);
    if (faulty)
      throw new CliError("routes.bad_name", faulty, { exitCode: EXIT.usage, fix: "modelrig routes new acme.my_task" });
    const folder = join(io.cwd, flags.routes ?? "routes");
    const path = join(folder, `${name}.yaml`);
    if (existsSync(path) || existsSync(path.replace(/yaml$/, "yml"))) {
      throw new CliError("routes.exists", `route ${name} exists already; nothing was written`, {
        exitCode: EXIT.usage,
        fix: `edit ${relative(io.cwd, path)}, or choose another name`,
      });
    }
    makeFolder(folder);
    writeFileSync(path, starterBundle(name), { flag: "wx" });
    const file = relative(io.cwd, path);
    if (flags.json) printJson(io, { schema: "modelrig.routes-new/1", route: name, file });
    else io.stdout.write(`wrote ${file}\nnext: modelrig routes check, then modelrig dev\n`);
    return EXIT.done;
  });

async function compiledRoutes(io: Io, { routes, config }: FolderFlags): Promise<readonly Route[]> {
  return (await compileFor(io, { cwd: io.cwd, routes, config })).routes;
}

function unknownRoute(name: string, routes: readonly Route[]): CliError {
  const names = routes.map((route) => route.name);
  const suggestion = nearest(name, names);
  const hint = suggestion ? `; did you mean ${suggestion}?` : "";
  return new CliError("routes.unknown_route", `there is no route of this name${hint}`, {
    exitCode: EXIT.usage,
    fix: names.length > 0 ? "modelrig routes list" : "modelrig routes new acme.my_task",
  });
}

function routeText({ route, variant, candidates, template, output }: NarrowedRoute): string {
  const lines = [
    `${route.name}${variant === "default" ? "" : `@${variant}`}  ${route.hash.slice(0, 12)}`,
    ...(route.description ? [route.description] : []),
    "",
    ...candidates.map(
      (candidate, index) => `${index + 1}  ${candidateText(candidate)}  ${JSON.stringify(candidate.params)}`,
    ),
    "",
    `variants   ${variantNames(route).join(", ")}`,
    `ladder     ${output ? output.ladder.join(" > ") : "no schema"}`,
    `require    ${route.require.join(", ") || "nothing"}`,
    `retry      ${Object.entries(route.retry)
      .map(([name, times]) => `${name} ${times}`)
      .join(", ")}`,
    `timeouts   attempt ${route.timeouts.attemptMs} ms, call ${route.timeouts.callMs} ms, idle ${route.timeouts.idleMs} ms`,
    `budget     ${budgetText(route.budget)}`,
    `capture    ${route.capture ? "on" : "off"}`,
  ];
  for (const part of ["system", "cached_context", "user"] as const) {
    const text = template?.[part];
    if (text !== undefined)
      lines.push(
        "",
        `template.${part}`,
        ...text
          .trimEnd()
          .split("\n")
          .map((line) => `  ${line}`),
      );
  }
  return `${lines.join("\n")}\n`;
}

function budgetText({ perCall, perRun, perDay, perMonth }: Budget): string {
  const parts = [
    ["call", perCall],
    ["run", perRun],
    ["day", perDay],
    ["month", perMonth],
  ] as const;
  const set = parts.flatMap(([scope, amount]) =>
    amount === undefined ? [] : [`$${nanoToUsdText(amount)} per ${scope}`],
  );
  return set.join(", ") || "none";
}

function candidateText({ key, trial }: Candidate): string {
  return trial ? `${key} (trial)` : key;
}

function counted(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? "" : "s"}`;
}
