import { uuidv7 } from "uuidv7";
import { type CaptureProxyOptions, startCaptureProxy } from "../../capture/proxy.ts";
import { redactor } from "../../capture/redact.ts";
import { providerTable } from "../../provider/table.ts";
import { compileFolder } from "../../workspace/compile-folder.ts";
import { openCaptures, retentionOf } from "../../workspace/local-captures.ts";
import { capturePermission } from "../capture-permission.ts";
import { CliError, type CommandModule, EXIT, type ExitCode, type Io } from "../command.ts";
import { compileFor } from "../compile.ts";
import { readDevState } from "../dev-state.ts";
import { printJson } from "../output/json.ts";

interface CaptureOptions {
  readonly port: string;
  readonly upstream?: string;
  readonly routes?: string;
  readonly config?: string;
  readonly json?: boolean;
}

/** Retention is looked after each time this many calls were kept. */
const PRUNE_EVERY = 200;

export const command: CommandModule = {
  build(command, io, run) {
    command
      .option("--port <n>", "port to listen on, on 127.0.0.1; 0 = any free one", "8788")
      .option("--upstream <url>", "gateway to forward to (env MODELRIG_URL; default: the local `modelrig dev`)")
      .option("--routes <dir>", "folder of route bundles: only routes with `capture: true` are kept (default: routes)")
      .option("--config <file>", "configuration (default: modelrig.yaml where it exists)")
      .option("--json", "print one JSON line when ready")
      .action(run((options: CaptureOptions) => capture(io, options)));
  },
};

async function capture(io: Io, options: CaptureOptions): Promise<ExitCode> {
  const upstream = upstreamOf(io, options.upstream);
  const project = { cwd: io.cwd, routes: options.routes, config: options.config };
  const { config, routes } = await compileFor(io, project);
  const redact = redactor(config.capture.redact);
  const providers = providerTable(config);
  const store = openCaptures(io.cwd);
  const warn = (message: string): void => void io.stderr.write(`warning: ${message}\n`);
  let kept = 0;
  try {
    store.prune(retentionOf(config.capture), Date.now());
    const proxy = await listen({
      upstream,
      port: portOf(options.port),
      mayCapture: capturePermission(async () => (await compileFolder(project)).result, Date.now, warn),
      keep(one) {
        store.add(redact(one));
        kept += 1;
        if (kept % PRUNE_EVERY === 0) store.prune(retentionOf(config.capture), Date.now());
      },
      capabilitiesOf(served) {
        const slash = served.indexOf("/");
        return providers.model(served.slice(0, slash), served.slice(slash + 1))?.capabilities;
      },
      warn,
      newId: () => `cap_${uuidv7()}`,
      now: Date.now,
    });
    const url = `http://127.0.0.1:${proxy.port}`;
    const open = routes.filter((route) => route.capture).map(({ name }) => name);
    if (options.json) printJson(io, { schema: "modelrig.capture/1", url, upstream, routes: open });
    else banner(io, url, upstream, open);
    await new Promise<void>((done) => io.signal.addEventListener("abort", () => done(), { once: true }));
    await proxy.settled();
    await proxy.close();
    io.stderr.write(`captured ${kept} calls; look at them with: modelrig captures list\n`);
    return EXIT.done;
  } finally {
    store.close();
  }
}

function banner(io: Io, url: string, upstream: string, routes: readonly string[]): void {
  const which = routes.length > 0 ? routes.join(", ") : "none: set `capture: true` in a route file";
  io.stderr.write(
    `capture proxy  ${url}  forwards to ${upstream}\nroutes kept    ${which}\nbase URL       ${url}/v1\nstop           Ctrl-C\n`,
  );
}

function upstreamOf(io: Io, given: string | undefined): string {
  const url = given ?? io.env["MODELRIG_URL"] ?? readDevState(io.cwd)?.url;
  if (url && URL.canParse(url) && /^https?:$/.test(new URL(url).protocol)) return url;
  throw new CliError("capture.upstream", url ? `${url} is not an http or https URL` : "no gateway to forward to", {
    exitCode: EXIT.usage,
    fix: "pass --upstream <url>, or start one with `modelrig dev`",
  });
}

async function listen(options: CaptureProxyOptions): ReturnType<typeof startCaptureProxy> {
  try {
    return await startCaptureProxy(options);
  } catch (cause) {
    const taken = cause instanceof Error && "code" in cause && cause.code === "EADDRINUSE";
    const message = taken ? `port ${options.port} is taken` : `cannot listen on port ${options.port}`;
    throw new CliError("capture.cannot_listen", message, { fix: "pass another with --port, or --port 0", cause });
  }
}

function portOf(text: string): number {
  const port = Number(text);
  if (/^\d+$/.test(text) && port <= 65_535) return port;
  throw new CliError("cli.usage", `--port takes a number from 0 to 65535, not ${JSON.stringify(text)}`, {
    exitCode: EXIT.usage,
  });
}
