import type { CommandGroup, CommandModule } from "./command.ts";

interface CommandEntry {
  readonly name: string;
  readonly group: CommandGroup;
  readonly summary: string;
  /** Loaded only when the command is the one asked for: `--help` stays fast however many there are. */
  readonly load: () => Promise<{ readonly command: CommandModule }>;
}

/** Every subcommand, in the order help lists them. */
export const COMMANDS: readonly CommandEntry[] = [
  {
    name: "dev",
    group: "Start",
    summary: "run the whole gateway on this machine",
    load: () => import("./commands/dev.ts"),
  },
  {
    name: "doctor",
    group: "Start",
    summary: "say what is wrong with key, gateway and folder, with the fix",
    load: () => import("./commands/doctor.ts"),
  },
  {
    name: "routes",
    group: "Start",
    summary: "check, show and create route bundles",
    load: () => import("./commands/routes.ts"),
  },
  {
    name: "observe",
    group: "Start",
    summary: "write a record-step module, and diffs that use it",
    load: () => import("./commands/observe.ts"),
  },
  {
    name: "providers",
    group: "Start",
    summary: "list providers and try their keys",
    load: () => import("./commands/providers.ts"),
  },
  {
    name: "capture",
    group: "Prove",
    summary: "record traffic on this machine through a local proxy",
    load: () => import("./commands/capture.ts"),
  },
  {
    name: "captures",
    group: "Prove",
    summary: "list, show and delete what was recorded",
    load: () => import("./commands/captures.ts"),
  },
  {
    name: "bakeoff",
    group: "Prove",
    summary: "compare variants on recorded traffic",
    load: () => import("./commands/bakeoff.ts"),
  },
  {
    name: "probe",
    group: "Prove",
    summary: "measure what models can do, for the registry",
    load: () => import("./commands/probe.ts"),
  },
  {
    name: "swap",
    group: "Change",
    summary: "carry out or take back an approved change",
    load: () => import("./commands/swap.ts"),
  },
  {
    name: "envelopes",
    group: "Change",
    summary: "spend limits, what is held as unknown, and what was really billed",
    load: () => import("./commands/envelopes.ts"),
  },
  { name: "keys", group: "Change", summary: "create, list and revoke keys", load: () => import("./commands/keys.ts") },
  {
    name: "db",
    group: "Change",
    summary: "migrate, back up, restore, export, erase and serve the database",
    load: () => import("./commands/db.ts"),
  },
  {
    name: "deploy",
    group: "Change",
    summary: "check, migrate and deploy to Cloudflare",
    load: () => import("./commands/deploy.ts"),
  },
  {
    name: "logs",
    group: "Look",
    summary: "the newest calls, and every call as it ends",
    load: () => import("./commands/logs.ts"),
  },
  {
    name: "show",
    group: "Look",
    summary: "one call with its attempts on a line of time",
    load: () => import("./commands/show.ts"),
  },
  {
    name: "cost",
    group: "Look",
    summary: "what calls cost, by route, model, tag or day",
    load: () => import("./commands/cost.ts"),
  },
  {
    name: "query",
    group: "Look",
    summary: "ask your telemetry by any column or tag",
    load: () => import("./commands/query.ts"),
  },
  {
    name: "proposals",
    group: "Look",
    summary: "list and show suggested changes with their evidence",
    load: () => import("./commands/proposals.ts"),
  },
  {
    name: "whoami",
    group: "Look",
    summary: "show the org and scopes of the key in use",
    load: () => import("./commands/whoami.ts"),
  },
];
