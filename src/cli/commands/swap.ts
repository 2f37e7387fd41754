import { decideProposal, getSwap, listSwaps, recordSwap, revertSwap } from "../../api/proposals.ts";
import { servedDigest } from "../../bakeoff/evidence/served-payload.ts";
import { armsOf } from "../../bakeoff/plan/arm.ts";
import { formatUsd } from "../../money/format.ts";
import { nanoUsd } from "../../money/nano-usd.ts";
import type { ProposalEvidence } from "../../proposal/evidence.ts";
import type { Proposal } from "../../proposal/proposal.ts";
import type { Route } from "../../route/route.ts";
import { patched, reverseOf } from "../../swap/patch.ts";
import type { Swap } from "../../swap/swap.ts";
import { CliError, type CommandModule, EXIT, type ExitCode, type Io } from "../command.ts";
import { compileFor } from "../compile.ts";
import { addGatewayOptions, type Gateway, type GatewayOptions, gatewayFrom } from "../gateway-client.ts";
import { confirmName } from "../output/confirm.ts";
import { printJson } from "../output/json.ts";
import { printTable } from "../output/table.ts";
import { findRouteFile, promotionPatch } from "../swap/route-file.ts";
import { fetchProposal } from "./proposals.ts";

interface ExecuteOptions extends GatewayOptions {
  readonly approve?: boolean;
  readonly acceptShapeOnly?: boolean;
  readonly confirm?: string;
  readonly routes?: string;
  readonly config?: string;
  readonly json?: boolean;
}

export const command: CommandModule = {
  build(command, io, run) {
    addGatewayOptions(
      command
        .command("execute <proposal>")
        .description("approve a proposal: print its change as a patch, and record it"),
    )
      .option("--approve", "this is a human's decision; nothing happens without it")
      .option("--accept-shape-only", "take evidence for enough of which only the shape of answers was tested; recorded")
      .option("--confirm <route>", "name of the route, where the change costs more")
      .option("--routes <dir>", "folder of route bundles (default: routes)")
      .option("--config <file>", "configuration (default: modelrig.yaml where it exists)")
      .option("--json", "print one JSON document that holds the patch")
      .action(run((id: string, options: ExecuteOptions) => execute(io, id, options)));
    addGatewayOptions(
      command.command("revert <swap>").description("print the patch that takes a swap back, and record it"),
    )
      .option("--routes <dir>", "folder of route bundles (default: routes)")
      .option("--json", "print one JSON document that holds the patch")
      .action(run((id: string, options: ExecuteOptions) => revert(io, id, options)));
    addGatewayOptions(command.command("show <swap>").description("a swap: what was promised, and whether it is served"))
      .option("--json", "print one JSON document")
      .action(run((id: string, options: ExecuteOptions) => show(io, id, options)));
    addGatewayOptions(command.command("list").description("approved swaps with their state, newest first"))
      .option("--json", "print one JSON document")
      .action(run((options: ExecuteOptions) => list(io, options)));
  },
};

async function execute(io: Io, proposalId: string, options: ExecuteOptions): Promise<ExitCode> {
  if (options.approve !== true) {
    throw new CliError("swap.not_approved", "a swap is executed only with --approve", {
      exitCode: EXIT.usage,
      fix: `read it first: modelrig proposals show ${proposalId}`,
    });
  }
  const gateway = gatewayFrom(io, options);
  const proposal = await readyProposal(gateway, proposalId, options);
  const known = await gateway.call(listSwaps, { query: { proposal: proposalId } });
  const [before] = known.swaps;
  if (before?.state === "reverted" || before?.state === "abandoned") {
    throw new CliError(`swap.${before.state}`, `swap ${before.id} of this proposal is ${before.state}`, {
      exitCode: EXIT.no,
      fix: "run the bake-off again: what it proves is filed as a new proposal",
    });
  }
  if (before) return hand(io, before, [], options);
  if (proposal.state !== "evidenced" && proposal.state !== "approved") {
    throw new CliError("swap.proposal_state", `proposal ${proposalId} is ${proposal.state}`, { exitCode: EXIT.no });
  }
  const { evidence } = proposal;
  const bundle = await compileFor(io, { cwd: io.cwd, routes: options.routes, config: options.config });
  await requireMeasuredArms(
    bundle.routes.find(({ name }) => name === proposal.route),
    evidence,
  );
  const project = { cwd: io.cwd, routes: options.routes, config: options.config };
  const { notes, ...file } = await promotionPatch(bundle, project, proposal.route, evidence.variant);
  if (!(await costAccepted(io, proposal.route, evidence, options))) return EXIT.no;
  const approved = await gateway.call(recordSwap, { body: { proposal: proposalId, ...file } });
  return hand(io, approved, notes, options);
}

/** The proposal; one that rests on shape alone is taken for evidenced where the person says so, and else refused. */
async function readyProposal(gateway: Gateway, id: string, options: ExecuteOptions): Promise<Proposal> {
  const { proposal: found } = await fetchProposal(gateway, id);
  if (found.state !== "suggested" || !found.evidence) return found;
  if (options.acceptShapeOnly !== true) {
    throw new CliError("swap.shape_only", `${found.evidence.answers.reason}; nothing judged what they say`, {
      exitCode: EXIT.no,
      fix: "check answers (value_checks, eval cases, a judge), or accept it: --accept-shape-only",
    });
  }
  await gateway.call(decideProposal, { params: { id }, body: { decision: "accept_shape" } });
  return (await fetchProposal(gateway, id)).proposal;
}

/** Evidence is about what the two arms serve: a description may have changed since, a prompt may not. */
async function requireMeasuredArms(route: Route | undefined, evidence: ProposalEvidence): Promise<void> {
  const arms = route && armsOf(route, [evidence.variant], evidence.incumbent.arm);
  const served = arms?.ok ? await Promise.all(arms.value.map(({ narrowed }) => servedDigest(narrowed))) : [];
  if (served[0] === evidence.served.incumbent && served[1] === evidence.served.challenger) return;
  throw new CliError("swap.route_changed", "what the route serves has changed since it was measured", {
    exitCode: EXIT.no,
    fix: "run the bake-off again on the route as it is now",
  });
}

async function costAccepted(
  io: Io,
  route: string,
  { swap_direction: direction, cost_delta_usd_per_1k: delta }: ProposalEvidence,
  options: ExecuteOptions,
): Promise<boolean> {
  if (direction !== "up") return true;
  const more = formatUsd(nanoUsd(Math.round(delta * 1e9)));
  io.stderr.write(`this raises effective cost by ${more} per 1K conformant outputs: an investment, not a saving\n`);
  return confirmName(io, "Go on?", route, options.confirm);
}

function hand(io: Io, swap: Swap, notes: readonly string[], options: ExecuteOptions): ExitCode {
  if (options.json) printJson(io, { schema: "modelrig.swap/1", ...swap });
  else io.stdout.write(swap.patch);
  const say = (line: string): void => void io.stderr.write(`${line}\n`);
  for (const note of notes) say(`note:   ${note}`);
  say(`swap ${swap.id}: ${swap.route} to ${swap.variant}, cost ${swap.direction}; ${stateText(swap)}`);
  say(`apply:  modelrig swap execute ${swap.proposal} --approve | git apply    (at the root of the repository)`);
  say(`revert: modelrig swap revert ${swap.id} | git apply`);
  return EXIT.done;
}

function stateText(swap: Swap): string {
  switch (swap.state) {
    case "approved":
      return "approved, not served yet: apply the patch, then deploy (modelrig dev takes the file by itself)";
    case "serving":
      return `serving since ${swap.serving_since}`;
    case "reverted":
      return `reverted ${swap.reverted_at}`;
    case "abandoned":
      return `abandoned ${swap.abandoned_at}: not served within 30 days`;
  }
}

async function revert(io: Io, id: string, options: ExecuteOptions): Promise<ExitCode> {
  const gateway = gatewayFrom(io, options);
  const found = await fetchSwap(gateway, id);
  const patch = reverseOf(found.path, found.patch);
  const file = findRouteFile({ cwd: io.cwd, routes: options.routes }, found.route);
  if (patched(file.text, patch) === undefined) {
    throw new CliError("swap.does_not_apply", `${file.path} has changed since, or the swap was never applied`, {
      exitCode: EXIT.no,
      fix: "revert the commit that applied it with git",
    });
  }
  const reverted = await gateway.call(revertSwap, { params: { id } });
  if (options.json) printJson(io, { schema: "modelrig.swap/1", ...reverted, patch });
  else io.stdout.write(patch);
  io.stderr.write(`swap ${reverted.id} is ${reverted.state}; its savings stop counting\n`);
  return EXIT.done;
}

async function list(io: Io, options: ExecuteOptions): Promise<ExitCode> {
  const found = await gatewayFrom(io, options).call(listSwaps, {});
  if (options.json) {
    printJson(io, { schema: "modelrig.swaps/1", ...found });
    return EXIT.done;
  }
  const columns = [
    { header: "id" },
    { header: "route", shrink: true },
    { header: "variant", shrink: true },
    { header: "cost" },
    { header: "state" },
    { header: "approved" },
    { header: "serving since" },
  ];
  printTable(
    io,
    columns,
    found.swaps.map((one) => [
      ...[one.id, one.route, one.variant, one.direction, one.state],
      minuteOf(one.approved_at),
      "serving_since" in one ? minuteOf(one.serving_since) : "",
    ]),
  );
  return EXIT.done;
}

async function show(io: Io, id: string, options: ExecuteOptions): Promise<ExitCode> {
  const found = await fetchSwap(gatewayFrom(io, options), id);
  if (options.json) {
    printJson(io, { schema: "modelrig.swap/1", ...found });
    return EXIT.done;
  }
  const { incumbent, bakeoff, measured_at: measured } = found.baseline;
  const lines = [
    ["swap", found.id],
    ["route", `${found.route}, default becomes ${found.variant}`],
    ["state", stateText(found)],
    ["proposal", found.proposal],
    ["approved", `${found.approved_at} by ${found.approved_by}`],
    ["promised", found.promised ? `${found.promised.route_hash.slice(0, 12)} of ${found.path}` : "not recorded"],
    ["replaces", `${incumbent.arm}, as measured by ${bakeoff} on ${measured.slice(0, 10)}`],
    ["cost", found.direction],
  ];
  for (const [name = "", text = ""] of lines) io.stdout.write(`${name.padEnd(10)}${text}\n`);
  return EXIT.done;
}

/** `2026-12-01T09:30Z`. */
function minuteOf(iso: string | undefined): string {
  return iso === undefined ? "" : `${iso.slice(0, 16)}Z`;
}

async function fetchSwap(gateway: Gateway, id: string): Promise<Swap> {
  try {
    return await gateway.call(getSwap, { params: { id } });
  } catch (cause) {
    if (!(cause instanceof CliError) || cause.code !== "gateway.http_404") throw cause;
    const fix = "modelrig swap list";
    throw new CliError("swap.not_found", `there is no swap ${id}`, { exitCode: EXIT.no, fix, cause });
  }
}
