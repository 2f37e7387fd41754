import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { CompiledBundle } from "../../config/config.ts";
import { readKeyring, STORE_KEY_VARIABLE } from "../../custody/keyring.ts";
import { environment } from "../../workspace/env-file.ts";
import { CliError, type CommandModule, EXIT, type ExitCode, type Io } from "../command.ts";
import { compileFor } from "../compile.ts";
import { migrateRemote, pendingRemote } from "../deploy/remote-database.ts";
import { hasCloudflareCredentials, projectRoot, wrangler } from "../deploy/wrangler.ts";
import { secretsFor } from "../dev/secrets.ts";
import { paint } from "../output/style.ts";

interface DeployOptions {
  readonly dryRun?: boolean;
  readonly envFile?: string;
}

/** Everything a deploy needs to know, checked before anything is changed. */
interface Plan {
  readonly compiled: CompiledBundle;
  readonly secrets: Readonly<Record<string, string>>;
  readonly missingKeys: readonly string[];
  readonly database: { readonly url: string; readonly token: string } | undefined;
  readonly credentials: boolean;
}

/** The telemetry queue and where its undeliverable messages go; as in wrangler.toml. */
const QUEUES = ["modelrig-telemetry", "modelrig-telemetry-dead"];

export const command: CommandModule = {
  build(command, io, run) {
    command
      .option("--dry-run", "show each step and build the Worker, change nothing")
      .option("--env-file <file>", "file with TURSO_* and provider keys (default: .env where it exists)")
      .action(run((options: DeployOptions) => deploy(io, options)));
  },
};

async function deploy(io: Io, options: DeployOptions): Promise<ExitCode> {
  const plan = await check(io, options);
  const step = stepPrinter(io, options.dryRun === true);
  const { routes } = plan.compiled;
  step("check", `${routes.length} ${routes.length === 1 ? "route" : "routes"} compile`);
  for (const name of plan.missingKeys)
    io.stderr.write(`      ${name} is not set here; candidates that need it are skipped unless the Worker has it\n`);
  if (plan.compiled.config.responsesStore && !(STORE_KEY_VARIABLE in plan.secrets))
    io.stderr.write(
      `      ${STORE_KEY_VARIABLE} is not set here; responses_store keeps nothing unless the Worker has it\n`,
    );
  if (options.dryRun) return await dryRun(io, plan, step);

  const database = required(plan);
  step("migrate", `${await migrateRemote(database)} migrations applied to ${host(database.url)}`);
  for (const queue of QUEUES) step("queue", `${queue} ${(await createQueue(io, queue)) ? "created" : "is there"}`);
  step("deploy", `wrangler deploy, with ${Object.keys(plan.secrets).length} secrets`);
  await deployWorker(io, plan.secrets);
  io.stderr.write("\nno key yet? modelrig keys bootstrap\n");
  return EXIT.done;
}

async function check(io: Io, options: DeployOptions): Promise<Plan> {
  const compiled = await compileFor(io, { cwd: projectRoot });
  const variables = environment(io, options.envFile);
  const { values, missing } = secretsFor(compiled, variables);
  const { TURSO_DATABASE_URL: url, TURSO_AUTH_TOKEN: token } = variables;
  const database = url && token ? { url, token } : undefined;
  const databaseSecrets = database && { TURSO_DATABASE_URL: database.url, TURSO_AUTH_TOKEN: database.token };
  return {
    compiled,
    secrets: { ...values, ...databaseSecrets, ...(await storeKeySecret(variables)) },
    missingKeys: missing,
    database,
    credentials: hasCloudflareCredentials({ ...io, env: variables }),
  };
}

/** Refused here where the Worker could not read it. */
async function storeKeySecret(
  variables: Readonly<Record<string, string>>,
): Promise<Readonly<Record<string, string>> | undefined> {
  const key = variables[STORE_KEY_VARIABLE];
  if (!key) return undefined;
  const keyring = await readKeyring(key);
  if (!keyring.ok) throw new CliError("deploy.store_key_invalid", keyring.error.message, { exitCode: EXIT.usage });
  return { [STORE_KEY_VARIABLE]: key };
}

async function dryRun(io: Io, plan: Plan, step: StepPrinter): Promise<ExitCode> {
  const { database } = plan;
  if (database) {
    const pending = await pendingRemote(database);
    step("migrate", `${pending.length === 0 ? "nothing" : pending.join(", ")} to apply to ${host(database.url)}`);
  } else {
    step("migrate", "TURSO_DATABASE_URL and TURSO_AUTH_TOKEN are not set: a deploy needs them");
  }
  step("queue", `create where missing: ${QUEUES.join(", ")}`);
  step("deploy", `wrangler deploy, with the secrets ${Object.keys(plan.secrets).sort().join(", ") || "(none)"}`);
  if (!plan.credentials)
    io.stderr.write("      not signed in to Cloudflare: a deploy needs CLOUDFLARE_API_TOKEN or `wrangler login`\n");
  const { exitCode } = await wrangler(io, ["deploy", "--dry-run"]);
  if (exitCode !== 0)
    throw new CliError("deploy.build_failed", "wrangler cannot build the Worker; its message is above");
  return EXIT.done;
}

/** Refuses, with all that is missing at once, before anything was changed. */
function required(plan: Plan): { readonly url: string; readonly token: string } {
  const missing = [
    ...(plan.database ? [] : ["TURSO_DATABASE_URL and TURSO_AUTH_TOKEN"]),
    ...(plan.credentials ? [] : ["CLOUDFLARE_API_TOKEN (or `wrangler login`)"]),
  ];
  if (plan.database && missing.length === 0) return plan.database;
  throw new CliError("deploy.credentials_missing", `missing: ${missing.join("; ")}`, {
    exitCode: EXIT.auth,
    fix: "set them in the environment or in .env; `modelrig deploy --dry-run` needs none",
  });
}

/** True when it was created, false when it was there. */
async function createQueue(io: Io, name: string): Promise<boolean> {
  const info = await wrangler(io, ["queues", "info", name], { quiet: true });
  if (info.exitCode === 0) return false;
  const created = await wrangler(io, ["queues", "create", name], { quiet: true });
  if (created.exitCode === 0) return true;
  throw new CliError("deploy.queue_failed", `cannot create the queue ${name}: ${lastLine(created.output)}`, {
    fix: "does the token allow Queues: Edit?",
  });
}

/** Secrets travel in a file only we can read, never on a command line. */
async function deployWorker(io: Io, secrets: Readonly<Record<string, string>>): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), "modelrig-deploy-"));
  try {
    const file = join(folder, "secrets.json");
    writeFileSync(file, JSON.stringify(secrets), { mode: 0o600 });
    const { exitCode } = await wrangler(io, ["deploy", "--secrets-file", file]);
    if (exitCode !== 0) throw new CliError("deploy.failed", "wrangler deploy failed; its message is above");
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

type StepPrinter = (name: string, text: string) => void;

function stepPrinter(io: Io, dryRun: boolean): StepPrinter {
  const mark = dryRun ? paint(io.stdout, "dim", "would") : paint(io.stdout, "green", "ok   ");
  return (name, text) => void io.stdout.write(`${name === "check" ? "ok   " : mark} ${name.padEnd(8)} ${text}\n`);
}

const host = (url: string): string => (URL.canParse(url) ? new URL(url).host : "the database");
const lastLine = (text: string): string => text.trim().split("\n").at(-1) ?? "";
