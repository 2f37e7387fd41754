import { writeFileSync } from "node:fs";
import { join, relative } from "node:path";
import { decideProposal, getProposal, listProposals, type ProposalDetail } from "../../api/proposals.ts";
import { makeFolder } from "../../localdb/make-folder.ts";
import { ghCommand } from "../../proposal/pr-body.ts";
import { PROPOSAL_STATES, type Proposal } from "../../proposal/proposal.ts";
import { stateFolder } from "../../workspace/state-folder.ts";
import { CliError, type CommandModule, EXIT, type ExitCode, type Io } from "../command.ts";
import { addGatewayOptions, type Gateway, type GatewayOptions, gatewayFrom } from "../gateway-client.ts";
import { printJson } from "../output/json.ts";
import { printTable } from "../output/table.ts";

interface ListOptions extends GatewayOptions {
  readonly route?: string;
  readonly state?: string;
  readonly json?: boolean;
}

export const command: CommandModule = {
  build(command, io, run) {
    addGatewayOptions(command.command("list").description("what is suggested, newest first"))
      .option("--route <name>", "for one route")
      .option("--state <state>", PROPOSAL_STATES.join(", "))
      .option("--json", "print one JSON document")
      .action(run((options: ListOptions) => printProposals(io, options)));
    addGatewayOptions(
      command.command("show <id>").description("a proposal with its evidence, as a pull request's body"),
    )
      .option("--json", "print one JSON document")
      .action(run((id: string, options: ListOptions) => show(io, id, options)));
    addGatewayOptions(command.command("reject <id>").description("decide against a proposal"))
      .option("--comment <text>", "why")
      .option("--json", "print one JSON document")
      .action(run((id: string, options: GatewayOptions & RejectOptions) => reject(io, id, options)));
  },
};

interface RejectOptions {
  readonly comment?: string;
  readonly json?: boolean;
}

/** A proposal by id; 404 reads as the answer no. */
export async function fetchProposal(gateway: Gateway, id: string): Promise<ProposalDetail> {
  try {
    return await gateway.call(getProposal, { params: { id } });
  } catch (cause) {
    if (!(cause instanceof CliError) || cause.code !== "gateway.http_404") throw cause;
    throw new CliError("proposals.not_found", `there is no proposal ${id}`, {
      exitCode: EXIT.no,
      fix: "modelrig proposals list",
      cause,
    });
  }
}

async function printProposals(io: Io, options: ListOptions): Promise<ExitCode> {
  const query = { route: options.route, state: options.state };
  const found = await gatewayFrom(io, options).call(listProposals, { query });
  if (options.json) {
    printJson(io, { schema: "modelrig.proposals/1", ...found });
    return EXIT.done;
  }
  if (found.proposals.length === 0)
    io.stderr.write("no proposals; a bake-off with an arm that clears its gate files one\n");
  const columns = [
    { header: "id" },
    { header: "state" },
    { header: "route", shrink: true },
    { header: "variant", shrink: true },
    { header: "expires" },
  ];
  printTable(
    io,
    columns,
    found.proposals.map((one) => [one.id, one.state, one.route, variantOf(one), one.expires_at.slice(0, 10)]),
  );
  return EXIT.done;
}

async function show(io: Io, id: string, options: ListOptions): Promise<ExitCode> {
  const { proposal: found, pull_request: pull } = await fetchProposal(gatewayFrom(io, options), id);
  if (options.json) {
    printJson(io, { schema: "modelrig.proposal/1", proposal: found, pull_request: pull });
    return EXIT.done;
  }
  io.stdout.write(pull.body);
  // Written to a file, so that no word of it goes through a shell.
  const file = writeBody(io, found.id, pull.body);
  io.stderr.write(`\npull request: ${ghCommand(found, file)}\n`);
  if (found.state === "evidenced") io.stderr.write(`next:         modelrig swap execute ${found.id} --approve\n`);
  return EXIT.done;
}

async function reject(io: Io, id: string, options: GatewayOptions & RejectOptions): Promise<ExitCode> {
  const gateway = gatewayFrom(io, options);
  const body = { decision: "reject", ...(options.comment !== undefined && { comment: options.comment }) };
  const { proposal: decided } = await gateway.call(decideProposal, { params: { id }, body });
  if (options.json) printJson(io, { schema: "modelrig.proposal/1", proposal: decided });
  else io.stderr.write(`${decided.id} is ${decided.state}\n`);
  return EXIT.done;
}

function writeBody(io: Io, id: string, body: string): string {
  const folder = join(stateFolder(io.cwd), "proposals");
  makeFolder(folder, 0o700);
  const file = join(folder, `${id.replace(/[^A-Za-z0-9_-]/g, "_")}.md`);
  writeFileSync(file, body, { mode: 0o600 });
  return relative(io.cwd, file);
}

function variantOf(one: Proposal): string {
  return "evidence" in one ? (one.evidence?.variant ?? "") : "";
}
