import { environment } from "../../workspace/env-file.ts";
import { CliError, type CommandModule, EXIT, type ExitCode, type Io } from "../command.ts";
import { checkDiagnosis } from "../doctor/diagnosis-check.ts";
import { about, type Finding } from "../doctor/finding.ts";
import { checkGateway, type Diagnosis } from "../doctor/gateway-check.ts";
import { checkKey, keyFault } from "../doctor/key-check.ts";
import { checkBuffer, checkNode, checkRoutes, checkStateFolder } from "../doctor/local-checks.ts";
import { printFindings, summaryOf } from "../doctor/print.ts";
import { type KeyInUse, keyIn } from "../doctor/settings.ts";
import { printJson } from "../output/json.ts";

interface DoctorOptions {
  readonly url?: string;
  readonly keyFile?: string;
  readonly expectOrg?: string;
  readonly envFile?: string;
  readonly timeout: string;
  readonly json?: boolean;
}

export const command: CommandModule = {
  build(command, io, run) {
    command
      .option("--url <url>", "gateway URL (env MODELRIG_URL; default: the local `modelrig dev`)")
      .option("--key-file <file>", "file that holds the key (env MODELRIG_KEY)")
      .option("--expect-org <slug>", "fail where the key belongs to another org (env MODELRIG_EXPECT_ORG)")
      .option("--env-file <file>", "file with provider keys (default: .env where it exists)")
      .option("--timeout <seconds>", "how long to wait for each answer", "10")
      .option("--json", "print one JSON document")
      .addHelpText("after", EXIT_CODES)
      .action(run((options: DoctorOptions) => doctor(io, options)));
  },
};

const EXIT_CODES = `
Exit codes: 0 nothing failed (warnings may be there), 4 the key, 5 the gateway cannot be reached, 3 any other check.
Where several failed, 4 goes before 5 before 3.`;

async function doctor(io: Io, options: DoctorOptions): Promise<ExitCode> {
  const inUse = keyIn(io, options);
  const findings: Finding[] = [checkNode(process.versions.node), checkKey(inUse.key, inUse.source)];
  const { findings: remote, diagnosis } = await askGateway(io, options, inUse);
  findings.push(...remote, ...(diagnosis ? checkDiagnosis(diagnosis) : []));
  findings.push(...(await checkRoutes(io.cwd, diagnosis ? undefined : environment(io, options.envFile))));
  findings.push(checkStateFolder(io.cwd), checkBuffer(io.cwd));
  const exit = exitOf(findings);
  if (options.json) {
    const items = findings.map(({ exit: _, ...finding }) => finding);
    printJson(io, { schema: "modelrig.doctor/1", url: inUse.url, exit, ...summaryOf(findings), findings: items });
  } else {
    printFindings(io, findings, exit);
  }
  return exit;
}

async function askGateway(
  io: Io,
  options: DoctorOptions,
  { key, url }: KeyInUse,
): Promise<{ readonly findings: readonly Finding[]; readonly diagnosis?: Diagnosis | undefined }> {
  const { fail, skip } = about("gateway");
  if (url === undefined) {
    const fix = "set MODELRIG_URL, or start `modelrig dev` here";
    return {
      findings: [
        key === undefined
          ? skip("no key and no URL")
          : fail("gateway.no_url", "there is a key, but no gateway URL", fix),
      ],
    };
  }
  return await checkGateway({
    url,
    key: key !== undefined && keyFault(key) === undefined ? key : undefined,
    expectOrg: options.expectOrg ?? (io.env["MODELRIG_EXPECT_ORG"] || undefined),
    fetch,
    now: Date.now,
    timeoutMs: millisecondsOf(options.timeout),
  });
}

function millisecondsOf(seconds: string): number {
  const number = Number(seconds);
  if (number > 0 && number <= 600) return Math.ceil(number * 1_000);
  throw new CliError("cli.usage", `--timeout takes seconds up to 600, not ${JSON.stringify(seconds)}`, {
    exitCode: EXIT.usage,
  });
}

/** Of several failures the one that explains the others: without a key nothing else can be asked. */
const MOST_SEVERE: readonly ExitCode[] = [EXIT.auth, EXIT.unreachable];

export function exitOf(findings: readonly Finding[]): ExitCode {
  const failed = findings.filter(({ status }) => status === "fail");
  if (failed.length === 0) return EXIT.done;
  return MOST_SEVERE.find((code) => failed.some(({ exit }) => exit === code)) ?? EXIT.no;
}
