import { STORE_KEY_VARIABLE } from "../../custody/keyring.ts";
import { about, type Finding } from "./finding.ts";
import type { Diagnosis } from "./gateway-check.ts";

/** What the gateway told of itself, judged. */
export function checkDiagnosis(told: Diagnosis): readonly Finding[] {
  return [
    schema(told),
    simulation(told),
    ...providerKeys(told),
    ...queryTokens(told),
    ...rowScopes(told),
    ...responsesStore(told),
    ...upkeep(told),
  ];
}

function schema({ database: { state, version = "nothing", expected } }: Diagnosis): Finding {
  const { ok, fail } = about("schema");
  switch (state) {
    case "current":
      return ok("schema.current", version);
    case "behind":
      return fail(
        "schema.behind",
        `the database is at ${version}, the gateway expects ${expected ?? "more"}`,
        "modelrig db migrate",
      );
    case "ahead":
      return fail(
        "schema.ahead",
        `the database is at ${version}, newer than the gateway's ${expected ?? "build"}`,
        "deploy the version that migrated it, or a newer one: modelrig deploy",
      );
    case "unauthorized":
      return fail(
        "schema.unauthorized",
        "the gateway's database refuses its token",
        "set the Worker secret TURSO_AUTH_TOKEN anew",
      );
    default:
      return fail(
        "schema.unreachable",
        "the gateway cannot reach its database",
        "check the Worker's TURSO_DATABASE_URL",
      );
  }
}

function simulation({ simulation: on, local }: Diagnosis): Finding {
  const { ok, warn } = about("sim");
  if (!on || local) return ok(on ? "sim.local" : "sim.off", on ? "on, under `modelrig dev`" : "off");
  return warn(
    "sim.deployed",
    "the simulated provider may serve on a deployed gateway",
    "remove `sim: true` from modelrig.yaml and the variable MODELRIG_SIM, then deploy",
  );
}

function providerKeys({
  missing_provider_keys: missing,
  unservable_routes: dead,
  local,
}: Diagnosis): readonly Finding[] {
  const { ok, warn, fail } = about("providers");
  if (missing.length === 0) return [ok("providers.keys_set", "every declared provider has its key")];
  const set = (variable: string) =>
    local ? `put ${variable} into .env and restart \`modelrig dev\`` : `wrangler secret put ${variable}`;
  return missing.map(({ variable, routes }) => {
    const stopped = routes.filter((route) => dead.includes(route));
    return stopped.length > 0
      ? fail(
          "providers.route_unservable",
          `${variable} is missing, and without it nothing can serve ${some(stopped)}`,
          set(variable),
        )
      : warn(
          "providers.key_missing",
          `${variable} is missing; candidates of ${some(routes)} are passed over`,
          set(variable),
        );
  });
}

function queryTokens({ query_tokens: { plaintext, faults } }: Diagnosis): readonly Finding[] {
  const { ok, warn, fail } = about("tokens");
  const wrong = faults.map((fault) =>
    fail(
      "tokens.unreadable",
      `MODELRIG_QUERY_TOKENS: ${fault}`,
      "<sha256>=<org>:tag:<name>:<value>, separated by semicolons",
    ),
  );
  if (plaintext > 0) {
    const fix = 'put the SHA-256 in their place: printf %s "$TOKEN" | sha256sum';
    return [...wrong, warn("tokens.plaintext", `MODELRIG_QUERY_TOKENS holds ${plaintext} in plain text`, fix)];
  }
  return wrong.length > 0 ? wrong : [ok("tokens.hashed", "no query token in plain text")];
}

function rowScopes({ unfixed_row_scopes: unfixed }: Diagnosis): readonly Finding[] {
  const { ok, warn } = about("rows");
  if (unfixed.length === 0) return [ok("rows.fixed", "no key can write another's rows")];
  return unfixed.map(({ tag, keys }) =>
    warn(
      "rows.unfixed_tag",
      `tag ${tag} decides which rows are read, but ${some(keys)} may write any value of it`,
      `give each writer a key that fixes it: modelrig keys create --tag ${tag}=…`,
    ),
  );
}

function responsesStore({ responses_store: told, local }: Diagnosis): readonly Finding[] {
  const { ok, warn, fail } = about("responses");
  if (!told || told.state === "off") return [ok("responses.off", "no response is kept")];
  if (told.state === "unusable") {
    const fix = local ? "restart `modelrig dev`" : `set the Worker secret ${STORE_KEY_VARIABLE}`;
    return [fail("responses.key_unusable", told.fault ?? "responses cannot be sealed", fix)];
  }
  if (told.custody !== "hash") return [ok("responses.kept", "responses are kept, sealed, until they expire")];
  const fix = 'PUT /v1/settings with "custody": "content", or remove responses_store from modelrig.yaml';
  return [warn("responses.custody", "responses_store is on, but the org's custody keeps hashes only", fix)];
}

/** Upkeep runs hourly; a day without it is no chance. */
const MANY_HOURS = 24;

function upkeep({ hours_without_rollup: hours = 0 }: Diagnosis): readonly Finding[] {
  const { ok, warn } = about("upkeep");
  if (hours <= MANY_HOURS) return [ok("upkeep.in_step", `${hours} h of telemetry wait for their sums`)];
  const fix = "after an import this passes; else look at the cron and at `wrangler tail` for upkeep errors";
  return [warn("upkeep.behind", `${hours} h of telemetry wait for their sums`, fix)];
}

function some(names: readonly string[]): string {
  const shown = names.slice(0, 3).join(", ");
  return names.length > 3 ? `${shown} and ${names.length - 3} more` : shown;
}
