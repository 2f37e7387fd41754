/** A bake-off at the gateway, from the flags to the report: it goes on there whatever becomes of this process. */
import { uuidv7 } from "uuidv7";
import { cancelHostedBakeoff, getBakeoff, type HostedBakeoffState, hostBakeoff } from "../../../api/bakeoffs.ts";
import { listProposals } from "../../../api/proposals.ts";
import type { BakeoffReport } from "../../../bakeoff/report/bakeoff-report.ts";
import { clock } from "../../../workspace/engine-host.ts";
import { CliError, EXIT, type ExitCode, type Io } from "../../command.ts";
import { type Gateway, gatewayFrom } from "../../gateway-client.ts";
import { confirm } from "../../output/confirm.ts";
import { printJson } from "../../output/json.ts";
import { bakeoffFiles } from "../files/bakeoff-files.ts";
import { writeHtml } from "../report/html-file.ts";
import { printMatrix } from "../report/print-matrix.ts";
import { sayNextStep } from "../run/deliver-report.ts";
import type { BakeoffCommandOptions } from "../run/run-here.ts";
import { hostedRequest } from "./hosted-request.ts";

const POLL_MS = 1_000;
/** Without a terminal a line a minute is enough to see that it lives. */
const LOG_EVERY_POLLS = 60;
/** A gateway that is away for a moment, as while it is deployed, does not end the watch. */
const MOST_MISSED = 10;

export async function runHosted(io: Io, options: BakeoffCommandOptions): Promise<ExitCode> {
  // The watch outlives the first Ctrl-C: what it means is asked.
  const watching: Io = { ...io, signal: new AbortController().signal };
  const gateway = gatewayFrom(watching, options);
  const id = options.resume ?? (await start(io, gateway, options));
  if (id === undefined) return EXIT.no;
  const files = bakeoffFiles(io, id);
  const report = await watch(io, watching, gateway, id);
  if (report === undefined) return EXIT.interrupted;
  files.writeReport(report);
  if (options.json) printJson(io, report);
  else printMatrix(io, report);
  if (options.html !== undefined) await writeHtml(io, report, options.html);
  const say = (line: string): void => void io.stderr.write(`${line}\n`);
  say(`report: ${files.reportPath}`);
  const { proposals } = await gateway.call(listProposals, { query: { route: report.route } });
  const filed = proposals.find((one) => "evidence" in one && one.evidence?.bakeoff === id) ?? null;
  const tell = options.json ? say : (line: string): void => void io.stdout.write(`${line}\n`);
  const exit = sayNextStep(say, tell, report, { type: "recorded", proposal: filed });
  return report.partial ? EXIT.partial : exit;
}

/** Returns its id, or undefined where a person said no. */
async function start(io: Io, gateway: Gateway, options: BakeoffCommandOptions): Promise<string | undefined> {
  const { route, body } = hostedRequest(options);
  const most = body.total_usd === undefined ? `$${body.budget_usd} a variant` : `$${body.total_usd} in all`;
  const question = `Run a bake-off of ${route} at ${gateway.url}, for at most ${most}?`;
  if (!(await confirm(io, question, { name: "--yes", granted: options.yes === true }))) return undefined;
  const headers = { "idempotency-key": uuidv7() };
  const { id } = await gateway.call(hostBakeoff, { params: { route }, body, headers });
  io.stderr.write(`bake-off ${id} of ${route} runs at ${gateway.url}\n`);
  return id;
}

/** Returns the report once there is one; undefined where a person leaves it to go on alone. */
async function watch(io: Io, watching: Io, gateway: Gateway, id: string): Promise<BakeoffReport | undefined> {
  const again = `modelrig bakeoff --hosted --resume ${id}`;
  let asked = false;
  for (let [polls, missed] = [0, 0]; ; polls += 1) {
    if (io.signal.aborted && !asked) {
      asked = true;
      if (!(await cancelWanted(watching, id))) {
        io.stderr.write(`it goes on at ${gateway.url}; its report: ${again}\n`);
        return undefined;
      }
      await gateway.call(cancelHostedBakeoff, { params: { id } });
      io.stderr.write("cancelled; finishing the calls in flight\n");
    }
    const found = await gateway.call(getBakeoff, { params: { id } }).catch((cause: unknown) => {
      missed += 1;
      if (missed > MOST_MISSED || !isAway(cause)) throw withResume(cause, again);
      return undefined;
    });
    if (found && "schema" in found) {
      endLine(io);
      return found;
    }
    if (found) {
      missed = 0;
      if (found.error) throw failed(id, found.error);
      show(io, found, polls);
    }
    await clock.sleep(POLL_MS);
  }
}

function isAway(cause: unknown): boolean {
  return cause instanceof CliError && cause.exitCode === EXIT.unreachable;
}

function withResume(cause: unknown, again: string): unknown {
  if (cause instanceof CliError && cause.code === "gateway.http_404")
    return new CliError("bakeoff.not_found", "the gateway knows no such bake-off", { exitCode: EXIT.no, cause });
  if (!isAway(cause)) return cause;
  const message = "the gateway cannot be reached; the bake-off goes on where it runs";
  return new CliError("bakeoff.unwatched", message, { exitCode: EXIT.unreachable, fix: again, cause });
}

function failed(id: string, { code, message }: { readonly code: string; readonly message: string }): CliError {
  return new CliError(`bakeoff.${code}`, `bake-off ${id} failed: ${message}`, {
    fix: "what it measured is kept; start another one once the cause is mended",
  });
}

/** Without a terminal nobody can be asked, and nothing that was begun is ended. */
async function cancelWanted(io: Io, id: string): Promise<boolean> {
  endLine(io);
  if (!io.interactive) return false;
  return await confirm(io, `Cancel bake-off ${id}? Otherwise it goes on without this terminal.`, {
    name: "--yes",
    granted: false,
  });
}

function show(io: Io, { state, done, planned, spent_usd: spent }: HostedBakeoffState, polls: number): void {
  const line = `${state} · ${done}/${planned} · $${spent.replace(/(\.\d\d\d*?)0*$/, "$1")}`;
  if (io.stderr.isTTY === true) io.stderr.write(`\r\u001b[K${line}`);
  else if (polls % LOG_EVERY_POLLS === 0) io.stderr.write(`${line}\n`);
}

function endLine(io: Io): void {
  if (io.stderr.isTTY === true) io.stderr.write("\r\u001b[K");
}
