import { z } from "zod";
import { diagnosisAnswer, whoamiAnswer } from "../../api/gateway.ts";
import { displayKey } from "../../identity/key.ts";
import { recordAt, stringAt } from "../../json/record.ts";
import { EXIT } from "../command.ts";
import { about, type Finding } from "./finding.ts";

/** Of a gateway of another version too: what is not needed may be missing. */
const readDiagnosis = diagnosisAnswer.partial({ time: true, routes: true });
const readWhoami = whoamiAnswer.extend({ key: whoamiAnswer.shape.key.partial({ id: true }) }).partial({ time: true });

export type Diagnosis = z.output<typeof readDiagnosis>;

interface GatewayProbe {
  /** Without `/v1` and without a trailing slash. */
  readonly url: string;
  /** Absent = there is none, or it is malformed. */
  readonly key: string | undefined;
  readonly expectOrg: string | undefined;
  readonly fetch: typeof fetch;
  /** Epoch milliseconds. */
  readonly now: () => number;
  readonly timeoutMs: number;
}

interface GatewayState {
  readonly findings: readonly Finding[];
  /** Absent = not learned; the findings say why. */
  readonly diagnosis?: Diagnosis | undefined;
}

const DAY_MS = 86_400_000;
const SOON_DAYS = 14;
/** Beyond this, records land in the wrong hour and expiries are off. */
const MOST_SKEW_MS = 30_000;

/** Asks the gateway whose key this is and how it is itself. Causes come before what follows from them. */
export async function checkGateway(probe: GatewayProbe): Promise<GatewayState> {
  const health = await ask(probe, "/health");
  const reached = reachable(probe, health);
  if (reached.status === "fail") return { findings: [reached, skipped("org", "the gateway was not reached")] };
  if (probe.key === undefined) return { findings: [reached, skipped("org", "no usable key")] };
  const who = await ask(probe, "/v1/whoami");
  const owner = ownerOf(probe, who);
  if (who.type === "unreachable" || who.status !== 200)
    return {
      findings: [
        reached,
        ...owner,
        skipped("gateway", "schema, provider keys, tokens and rows: the key was not accepted"),
      ],
    };
  const told = await ask(probe, "/v1/diagnosis");
  const parsed = told.type === "answer" && told.status === 200 ? readDiagnosis.safeParse(told.body) : undefined;
  const facts = parsed?.success ? parsed.data : undefined;
  const why = told.type === "answer" && told.status === 403 ? whyForbidden(told.body) : "this gateway does not tell";
  return {
    findings: [
      reached,
      ...owner,
      ...(facts ? [] : [skipped("gateway", `schema, provider keys, tokens and rows: ${why}`)]),
    ],
    diagnosis: facts,
  };
}

function whyForbidden(body: unknown): string {
  const ofRows = stringAt(recordAt(body, "error"), "code") === "row_scope";
  return ofRows ? "the key sees only certain rows" : "the key lacks the scope read";
}

const skipped = (subject: string, why: string): Finding => about(subject).skip(why);

type Answer =
  | {
      readonly type: "answer";
      readonly status: number;
      readonly body: unknown;
      readonly ms: number;
      readonly at: number;
    }
  | { readonly type: "unreachable"; readonly why: string };

async function ask({ url, key, fetch: send, now, timeoutMs }: GatewayProbe, path: string): Promise<Answer> {
  const headers = key === undefined || path === "/health" ? {} : { authorization: `Bearer ${key}` };
  const startedAt = now();
  try {
    const response = await send(`${url}${path}`, {
      headers,
      redirect: "manual",
      signal: AbortSignal.timeout(timeoutMs),
    });
    const text = await response.text();
    const at = now();
    return {
      type: "answer",
      status: response.status,
      body: jsonOf(text),
      ms: at - startedAt,
      at: (startedAt + at) / 2,
    };
  } catch (cause) {
    return { type: "unreachable", why: reasonOf(cause, timeoutMs) };
  }
}

function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** The innermost word of the network: `ECONNREFUSED`, `ENOTFOUND`, a certificate's fault. */
function reasonOf(thrown: unknown, timeoutMs: number): string {
  if (thrown instanceof Error && thrown.name === "TimeoutError") return `no answer within ${timeoutMs / 1000} s`;
  let link: unknown = thrown;
  while (link instanceof Error && link.cause instanceof Error) link = link.cause;
  if (!(link instanceof Error)) return String(link);
  return "code" in link && typeof link.code === "string" ? link.code : link.message;
}

function reachable({ url }: GatewayProbe, health: Answer): Finding {
  const { ok, fail } = about("gateway");
  if (health.type === "unreachable") {
    const fix =
      "check MODELRIG_URL and the network path to it (firewall, proxy, DNS); start a local one with `modelrig dev`";
    return fail("gateway.unreachable", `cannot reach ${url}: ${health.why}`, fix, EXIT.unreachable);
  }
  const status = z.object({ status: z.string() }).safeParse(health.body);
  if (!status.success) {
    const fix = "MODELRIG_URL must be the address of a modelrig gateway, without a path";
    return fail(
      "gateway.not_modelrig",
      `${url} answers ${health.status}, but not as a gateway does`,
      fix,
      EXIT.unreachable,
    );
  }
  return ok("gateway.reachable", `${url}, ${Math.round(health.ms)} ms`);
}

/** The key, its org, and the clocks. */
function ownerOf(probe: GatewayProbe, who: Answer): readonly Finding[] {
  const { ok, warn, fail } = about("org");
  const shown = `key ${displayKey(probe.key ?? "")}`;
  if (who.type === "unreachable") {
    return [
      fail(
        "org.unreachable",
        `whoami did not answer: ${who.why}`,
        "try again; then look at the gateway's log",
        EXIT.unreachable,
      ),
    ];
  }
  if (who.status === 401) {
    const fix =
      "it is mistyped, revoked, expired or of another gateway: `modelrig keys create`, set it, redeploy, open a new shell";
    return [fail("org.unauthorized", `AUTH FAILED (401): ${shown} is not accepted`, fix, EXIT.auth)];
  }
  if (who.status === 403) {
    const fix = "something before the gateway refuses it (an access policy, a firewall rule): let /v1 through";
    return [fail("org.forbidden", `AUTH FAILED (403): ${shown} is refused`, fix, EXIT.auth)];
  }
  const parsed = who.status === 200 ? readWhoami.safeParse(who.body) : undefined;
  if (!parsed?.success) {
    const database = who.status === 503;
    return [
      fail(
        database ? "org.keys_unavailable" : "org.unexpected_answer",
        `whoami answered ${who.status}`,
        database
          ? "the gateway cannot reach its database: check its TURSO_DATABASE_URL and TURSO_AUTH_TOKEN, then `modelrig db migrate`"
          : "is the gateway of the same modelrig version?",
        EXIT.unreachable,
      ),
    ];
  }
  const { org, key, time } = parsed.data;
  const named = `${shown} → org «${org.name ?? org.slug}» (${org.slug})`;
  const { expectOrg } = probe;
  const owner =
    expectOrg === undefined || expectOrg === org.slug
      ? ok("org.known", `${named}, scopes ${key.scopes.join(",")}`)
      : fail(
          "org.mismatch",
          `ORG MISMATCH: ${named}, expected ${expectOrg}`,
          `use a key of ${expectOrg}, or expect ${org.slug}`,
        );
  return [owner, ...expiry(key.expires_at, probe.now(), warn), ...skew(time, who.at)];
}

function expiry(
  expiresAt: string | undefined,
  now: number,
  warn: ReturnType<typeof about>["warn"],
): readonly Finding[] {
  if (expiresAt === undefined) return [];
  const days = Math.floor((Date.parse(expiresAt) - now) / DAY_MS);
  if (!(days < SOON_DAYS)) return [];
  return [
    warn(
      "org.key_expires",
      `the key expires in ${days} d, on ${expiresAt}`,
      "make its successor: `modelrig keys create`",
    ),
  ];
}

function skew(time: string | undefined, at: number): readonly Finding[] {
  const { ok, warn, skip } = about("clock");
  if (time === undefined) return [skip("the gateway is older and does not tell its time")];
  const off = Date.parse(time) - at;
  const shown = `${(Math.abs(off) / 1000).toFixed(1)} s ${off < 0 ? "ahead of" : "behind"} the gateway's`;
  if (Math.abs(off) <= MOST_SKEW_MS) return [ok("clock.in_step", `this clock is ${shown}`)];
  return [
    warn(
      "clock.skew",
      `this clock is ${shown}`,
      "set it by NTP; records are filed under the time of the machine that made them",
    ),
  ];
}
