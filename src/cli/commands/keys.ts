import { randomBytes } from "node:crypto";
import { userInfo } from "node:os";
import type { Command } from "commander";
import type { AuditStamp } from "../../identity/audit-stamp.ts";
import { displayKey, hashKey, keyFrom } from "../../identity/key.ts";
import { SCOPES } from "../../identity/scope.ts";
import { formatUsd } from "../../money/format.ts";
import { nanoToUsdText } from "../../money/nano-usd.ts";
import type { StoredKey } from "../../store/orgs/api-keys.ts";
import type { Org } from "../../store/orgs/orgs.ts";
import { openStore, type Store } from "../../store/store.ts";
import { CliError, type CommandModule, EXIT, type ExitCode, type Io } from "../command.ts";
import { addDatabaseOptions, type DatabaseOptions, databaseFrom, reachingDatabase } from "../database-access.ts";
import { type PermissionFlags, type Permissions, permissionsOf } from "../keys/permissions.ts";
import { confirmName } from "../output/confirm.ts";
import { printJson } from "../output/json.ts";
import { printTable } from "../output/table.ts";

interface KeyOptions extends DatabaseOptions, PermissionFlags {
  readonly org?: string;
  readonly label?: string;
  readonly confirm?: string;
  readonly all?: boolean;
  readonly json?: boolean;
}

const DEFAULT_ORG = "default";

export const command: CommandModule = {
  build(command, io, run) {
    withPermissions(
      addDatabaseOptions(command.command("bootstrap").description("make the org and its first key, an admin's")),
    )
      .option("--org <slug>", "slug of the org", DEFAULT_ORG)
      .action(run((options: KeyOptions) => bootstrap(io, options)));
    withPermissions(addDatabaseOptions(command.command("create").description("make a key; it is shown once")))
      .option("--org <slug>", "org of the key (default: the only one)")
      .action(run((options: KeyOptions) => create(io, options)));
    addDatabaseOptions(command.command("list").description("keys of an org, newest first"))
      .option("--org <slug>", "the org (default: the only one)")
      .option("--all", "revoked keys too")
      .option("--json", "print one JSON document")
      .action(run((options: KeyOptions) => list(io, options)));
    addDatabaseOptions(command.command("revoke <id>").description("end a key, within 30 seconds everywhere"))
      .option("--org <slug>", "org of the key (default: the only one)")
      .option("--confirm <id>", "the id again, in place of typing it")
      .option("--json", "print one JSON document")
      .action(run((id: string, options: KeyOptions) => revoke(io, id, options)));
  },
};

function withPermissions(command: Command): Command {
  const collect = (value: string, before: readonly string[] | undefined): string[] => [...(before ?? []), value];
  return command
    .option("--scope <scope>", `${SCOPES.join(", ")}; repeatable`, collect)
    .option("--route <pattern>", "what the key may call: example.*, raw:openai/*, auto; repeatable", collect)
    .option("--expires <when>", "90d, 12h, 2027-01-31")
    .option("--usd-per-month <usd>", "spend limit of the key per calendar month, UTC")
    .option("--tag <name=value>", "tag on every call of the key, over the request's own; repeatable", collect)
    .option("--rows <tag:name=value>", "telemetry the key may read; repeatable", collect)
    .option("--label <text>", "what the key is for")
    .option("--json", "print one JSON document");
}

async function bootstrap(io: Io, options: KeyOptions): Promise<ExitCode> {
  const slug = options.org ?? DEFAULT_ORG;
  if (!/^[a-z0-9][a-z0-9-]{0,62}$/.test(slug)) {
    throw new CliError("cli.usage", `--org cannot be ${JSON.stringify(slug)}`, {
      exitCode: EXIT.usage,
      fix: "lower-case letters, digits and dashes",
    });
  }
  const permissions = permissionsOf(options, Date.now(), SCOPES);
  return await withStore(io, options, async (store) => {
    const org = await store.orgs.ensure({ id: newId("org"), slug }, auditStamp());
    const admins = (await store.forOrg(org.id).keys.list()).filter(
      (key) => isLive(key) && key.scopes.includes("admin"),
    );
    if (admins.length > 0) {
      throw new CliError("keys.bootstrapped", `the org ${slug} has an admin's key (${admins[0]?.display})`, {
        exitCode: EXIT.no,
        fix: `modelrig keys create --org ${slug} --scope admin`,
      });
    }
    return await issue(io, store, org, permissions, options);
  });
}

async function create(io: Io, options: KeyOptions): Promise<ExitCode> {
  const permissions = permissionsOf(options, Date.now(), ["call"]);
  return await withStore(io, options, async (store) =>
    issue(io, store, await orgOf(store, options.org), permissions, options),
  );
}

/** The key goes to stdout, alone, so that it can be piped into a secret; what it may do is told on stderr. */
async function issue(
  io: Io,
  store: Store,
  org: Org,
  permissions: Permissions,
  { label, json }: KeyOptions,
): Promise<ExitCode> {
  const key = keyFrom(randomBytes(32));
  const keyId = newId("key");
  const stored = { ...permissions, keyId, hash: await hashKey(key), display: displayKey(key), label };
  await store.forOrg(org.id).keys.create(stored, auditStamp());
  if (json) {
    const org_ = { id: org.id, slug: org.slug };
    printJson(io, { schema: "modelrig.key/1", key, org: org_, ...shown({ ...stored, org: org.id }) });
    return EXIT.done;
  }
  io.stdout.write(`${key}\n`);
  io.stderr.write(`${keyId} of org ${org.slug}: ${describe(permissions)}\nkeep it now: it is not shown again\n`);
  return EXIT.done;
}

async function list(io: Io, options: KeyOptions): Promise<ExitCode> {
  return await withStore(io, options, async (store) => {
    const org = await orgOf(store, options.org);
    const keys = (await store.forOrg(org.id).keys.list()).filter((key) => options.all || !key.revoked);
    if (options.json) {
      printJson(io, { schema: "modelrig.keys/1", org: { id: org.id, slug: org.slug }, keys: keys.map(shown) });
      return EXIT.done;
    }
    const columns = [
      { header: "id" },
      { header: "key" },
      { header: "state" },
      { header: "created" },
      { header: "label", shrink: true },
      { header: "may", shrink: true },
    ];
    const rows = keys.map((key) => [
      key.keyId,
      key.display,
      stateOf(key),
      day(key.created.at),
      key.label ?? "",
      describe(key),
    ]);
    printTable(io, columns, rows);
    return EXIT.done;
  });
}

async function revoke(io: Io, keyId: string, options: KeyOptions): Promise<ExitCode> {
  return await withStore(io, options, async (store) => {
    const org = await orgOf(store, options.org);
    const { keys } = store.forOrg(org.id);
    const key = (await keys.list()).find((one) => one.keyId === keyId);
    if (!key || key.revoked) {
      throw new CliError("keys.not_found", `org ${org.slug} has no ${key ? "live " : ""}key ${keyId}`, {
        exitCode: EXIT.no,
        fix: "modelrig keys list --all",
      });
    }
    const question = `Revoke ${key.display}${key.label ? ` (${key.label})` : ""} of org ${org.slug}?`;
    if (!(await confirmName(io, question, keyId, options.confirm))) {
      throw new CliError("keys.not_confirmed", "not revoked: the id given is another", { exitCode: EXIT.no });
    }
    await keys.revoke(keyId, auditStamp());
    if (options.json) printJson(io, { schema: "modelrig.key-revoked/1", id: keyId, org: org.id });
    else io.stdout.write(`revoked ${keyId}; gateways refuse it within 30 seconds\n`);
    return EXIT.done;
  });
}

async function withStore<T>(io: Io, options: DatabaseOptions, work: (store: Store) => Promise<T>): Promise<T> {
  const store = openStore(databaseFrom(io, options));
  try {
    return await reachingDatabase(() => work(store));
  } finally {
    store.close();
  }
}

async function orgOf(store: Store, name: string | undefined): Promise<Org> {
  if (name !== undefined) {
    const org = await store.orgs.find(name);
    if (org) return org;
    throw new CliError("keys.no_org", `there is no org ${name}`, { exitCode: EXIT.no, fix: "modelrig keys bootstrap" });
  }
  const [only, ...others] = await store.orgs.list();
  if (only && others.length === 0) return only;
  if (!only)
    throw new CliError("keys.no_org", "there is no org yet", { exitCode: EXIT.no, fix: "modelrig keys bootstrap" });
  const slugs = [only, ...others].map(({ slug }) => slug).join(", ");
  throw new CliError("keys.which_org", "there are several orgs", { exitCode: EXIT.usage, fix: `pass --org: ${slugs}` });
}

const newId = (prefix: string): string => `${prefix}_${randomBytes(10).toString("hex")}`;
const auditStamp = (): AuditStamp => ({ by: `cli:${userInfo().username}`, at: Date.now() });
const day = (at: number): string => new Date(at).toISOString().slice(0, 10);
const isLive = (key: StoredKey): boolean => stateOf(key) === "live";

function stateOf(key: StoredKey): "live" | "revoked" | "expired" {
  if (key.revoked) return "revoked";
  return key.expiresAt !== undefined && key.expiresAt <= Date.now() ? "expired" : "live";
}

function describe({ scopes, routes, expiresAt, monthlyLimit, fixedTags, rowScope }: Permissions): string {
  const tags = (all: Readonly<Record<string, string>>): string =>
    Object.entries(all)
      .map(([name, value]) => `${name}=${value}`)
      .join(" ");
  return [
    scopes.includes("admin") ? "admin" : scopes.join(" "),
    `calls ${routes?.join(" ") ?? "everything"}`,
    ...(monthlyLimit === undefined ? [] : [`up to ${formatUsd(monthlyLimit)} a month`]),
    ...(Object.keys(fixedTags).length === 0 ? [] : [`tagged ${tags(fixedTags)}`]),
    ...(rowScope ? [`reads rows with ${tags(rowScope.tags)}`] : []),
    ...(expiresAt === undefined ? [] : [`until ${new Date(expiresAt).toISOString()}`]),
  ].join(", ");
}

/** A key as JSON documents show it; never its hash. */
function shown(
  key: Permissions &
    Pick<StoredKey, "keyId" | "org" | "display" | "label"> &
    Partial<Pick<StoredKey, "created" | "revoked">>,
): Record<string, unknown> {
  const instant = (at: number | undefined): string | undefined =>
    at === undefined ? undefined : new Date(at).toISOString();
  return {
    id: key.keyId,
    display: key.display,
    label: key.label,
    scopes: key.scopes,
    routes: key.routes,
    expires_at: instant(key.expiresAt),
    usd_per_month: key.monthlyLimit === undefined ? undefined : nanoToUsdText(key.monthlyLimit),
    fixed_tags: key.fixedTags,
    rows: key.rowScope?.tags,
    created_at: instant(key.created?.at),
    created_by: key.created?.by,
    revoked_at: instant(key.revoked?.at),
  };
}
