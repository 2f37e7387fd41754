import {
  appendFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { type BakeoffReport, bakeoffReport } from "../../../src/bakeoff/report/bakeoff-report.ts";
import { openCaptureStore } from "../../../src/capture/capture-store.ts";
import { main } from "../../../src/cli/main.ts";
import { fakeIo } from "../../support/hosts/fake-io.ts";

const FILE = `route: acme.task
capture: true
candidates:
  - { provider: sim, model: atlas-large, params: { max_tokens: 100 } }
  - { provider: sim, model: atlas-small, params: { max_tokens: 100 } }
  - { provider: openai, model: gpt-unpriced-9, trial: true, params: { max_tokens: 100 } }
input: { type: object, properties: { text: { type: string } } }
template: { user: "{{ text }}" }
output: { schema: { type: object, properties: { summary: { type: string } }, required: [summary] } }
variants:
  - { name: cheap, candidates: [{ provider: sim, model: atlas-small }] }
  - { name: paid, candidates: [{ provider: openai, model: gpt-unpriced-9 }] }
bakeoff: { reference: sim/atlas-large }
`;

let folder: string;
let server: Server;
let url: string;
let live: string;
/** What was asked of the org's envelopes. */
let drawn: { action: string; id: unknown }[];
let posted: { path: string; body: Record<string, unknown> }[];

function answer(method: string, path: string, body: Record<string, unknown>): { status: number; body: unknown } {
  if (path === "/v1/routes/acme.task/live")
    return { status: 200, body: { route: "acme.task", variant: live, route_hash: "f".repeat(64) } };
  if (path.startsWith("/v1/eval-cases?"))
    return { status: 200, body: casePage(new URLSearchParams(path.split("?")[1])) };
  if (path === "/v1/proposals/prop_1") {
    const at = "2026-11-29T12:00:00.000Z";
    const base = {
      id: "prop_1",
      kind: "bakeoff",
      trigger: "new_model",
      trigger_hash: "b".repeat(64),
      route: "acme.task",
    };
    const proposal = { ...base, state: "suggested", created_at: at, expires_at: at };
    return { status: 200, body: { proposal, pull_request: { title: "t", body: "b", command: "c" } } };
  }
  if (method !== "POST") return { status: 404, body: { error: { message: "nothing here" } } };
  if (path.startsWith("/v1/envelopes/")) {
    drawn.push({ action: path.slice("/v1/envelopes/".length), id: body["reservation_id"] });
    return { status: 200, body: { granted: true, envelopes: [] } };
  }
  posted.push({ path, body });
  if (path.startsWith("/v1/bakeoff-samples/"))
    return { status: 201, body: { kept: (body["samples"] as unknown[]).length } };
  return { status: 201, body: { id: body["id"], proposal: null } };
}

/** How many cases ask each question. */
let copies: number;

/** 150 cases over two pages. */
function casePage(query: URLSearchParams) {
  const from = Number(query.get("after") ?? 0);
  const eval_cases = Array.from({ length: Math.min(Number(query.get("limit")), 150 - from) }, (_, index) => ({
    id: `case_${from + index}`,
    input: { kind: "variables", variables: { text: parcel(from + index) } },
    expected: { summary: parcel(from + index) },
    created_at: "2026-11-29T12:00:00.000Z",
    run: `run_${index % 3}`,
  }));
  const next = from + eval_cases.length;
  return { eval_cases, next: next < 150 ? String(next) : null };
}

const parcel = (number: number) => `Parcel ${Math.floor(number / copies)} is late.`;

beforeEach(async () => {
  copies = 1;
  folder = mkdtempSync(join(tmpdir(), "modelrig-bakeoff-cli-"));
  mkdirSync(join(folder, "routes"));
  mkdirSync(join(folder, ".modelrig"));
  writeFileSync(join(folder, "routes/acme.task.yaml"), FILE);
  writeFileSync(join(folder, "modelrig.yaml"), "sim: { latency: 0 }\n");
  const captures = openCaptureStore(join(folder, ".modelrig/captures.db"));
  for (let index = 0; index < 24; index += 1) {
    captures.add({
      id: `cap_${index}`,
      at: index,
      route: "acme.task",
      variant: undefined,
      // Every fourth asks what the one before it asked.
      payload: { kind: "variables", variables: { text: `Order ${index - (index % 4 === 3 ? 1 : 0)} was late.` } },
      inferenceId: undefined,
      output: "{}",
      outcome: "answered",
      served: undefined,
      tags: { customer: `c${index % 5}` },
    });
  }
  captures.close();
  live = "cheap";
  posted = [];
  drawn = [];
  server = createServer((incoming, response) => {
    let text = "";
    incoming.on("data", (chunk) => {
      text += String(chunk);
    });
    incoming.on("end", () => {
      const { status, body } = answer(incoming.method ?? "", incoming.url ?? "", text === "" ? {} : JSON.parse(text));
      response.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify(body));
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});
afterEach(() => {
  server.closeAllConnections();
  server.close();
});

async function bakeoff(args: readonly string[], env: Record<string, string> = {}) {
  const io = fakeIo({ cwd: folder, env });
  const exitCode = await main(["bakeoff", ...args], io);
  return { exitCode, out: io.out(), err: io.err() };
}
const withGateway = () => ({ MODELRIG_URL: url, MODELRIG_KEY: "rig_sk_test" });
const asReport = (out: string): BakeoffReport => bakeoffReport.parse(JSON.parse(out));
const kept = (): string[] => {
  const path = join(folder, ".modelrig/bakeoffs");
  return existsSync(path) ? readdirSync(path) : [];
};
const cheap = ["--route", "acme.task", "--variants", "cheap"] as const;

describe("before anything is spent", () => {
  it("--dry-run says what it would send, cost and be able to show, and leaves nothing behind", async () => {
    const { exitCode, err, out } = await bakeoff([...cheap, "--dry-run", "--json"]);
    expect(exitCode).toBe(0);
    expect(JSON.parse(out)).toMatchObject({
      schema: "modelrig.bakeoff-estimate/1",
      inputs: 18,
      calls: 54,
      simulated: true,
      detectable_regret: expect.any(Number),
    });
    expect(err).toContain("24 calls asked 18 different inputs");
    expect(err).toMatch(/power +18 pairs can confirm/);
    expect(kept()).toEqual([]);
  });

  it("asks before spending what cannot be estimated; without a terminal it needs --yes", async () => {
    const key = { OPENAI_API_KEY: "sk-test" };
    const { exitCode, err } = await bakeoff(["--route", "acme.task", "--variants", "paid"], key);
    expect(exitCode).toBe(2);
    expect(err).toContain("--yes");
    expect(kept()).toEqual([]);
  });

  it("asks nothing for what its envelopes bound to little", async () => {
    const args = ["--route", "acme.task", "--variants", "paid", "--reference", "none", "--replay-last", "1"];
    const { exitCode, err } = await bakeoff([...args, "--budget-usd", "0.10"], { OPENAI_API_KEY: "sk-test" });
    expect(err).not.toContain("--yes");
    // Its price is unknown, so no envelope lets it through.
    expect(exitCode).toBe(6);
  });

  it("refuses an arm that nothing here can serve, before the others are paid for", async () => {
    const { exitCode, err } = await bakeoff(["--route", "acme.task", "--variants", "paid", "--yes"]);
    expect(exitCode).toBe(2);
    expect(err).toContain("paid cannot be called: openai/gpt-unpriced-9: secret OPENAI_API_KEY is not set");
    expect(kept()).toEqual([]);
  });

  it.each([
    [["--route", "acme.none"], "no route is named acme.none"],
    [["--route", "acme.task", "--variants", "chaep"], "has no variant chaep"],
    [[...cheap, "--reference", "sim/slow"], "sim/slow is no declared candidate"],
    [[...cheap, "--objective", "cheapest"], "--objective takes"],
    [[...cheap, "--stratify", "client"], "--stratify takes a tag such as tag:client"],
    [[...cheap, "--keep-outputs", "101"], "from 0 to 100"],
    [[...cheap, "--budget-usd", "-1"], "--budget-usd takes dollars"],
    [[], "--route <name> is needed"],
  ])("%j is refused: %s", async (args, message) => {
    const { exitCode, err } = await bakeoff(args);
    expect({ exitCode, told: err.includes(message) }).toEqual({ exitCode: 2, told: true });
  });
});

describe("captures", () => {
  it("are sent once each with the weight of all who asked the same, to every arm and the reference", async () => {
    const { exitCode, out, err } = await bakeoff([...cheap, "--seed", "3", "--json"]);
    expect(exitCode).toBe(0);
    const report = asReport(out);
    expect(report).toMatchObject({ partial: false, incumbent: "default", inputs: { used: 18, weight: 24 } });
    expect(report.arms.map(({ arm, sent }) => [arm, sent])).toEqual([
      ["default", 18],
      ["cheap", 18],
      ["reference:sim/atlas-large", 18],
    ]);
    expect(err).toContain("reference reference:sim/atlas-large (declared)");
  });

  it("of a bake-off and what came back stay in files of their owner", async () => {
    await bakeoff([...cheap]);
    const files = kept();
    expect(files.map((name) => name.replace(/^bo_[^.]+/, "")).sort()).toEqual([
      ".inputs.jsonl",
      ".json",
      ".jsonl",
      ".outputs.jsonl",
    ]);
    for (const name of files) expect(statSync(join(folder, ".modelrig/bakeoffs", name)).mode & 0o077).toBe(0);
  });

  it("are repeated as one item each", async () => {
    const report = asReport((await bakeoff([...cheap, "--repeats", "3", "--json"])).out);
    expect(report.inputs.used).toBe(54);
    expect(report.arms[0]?.sent).toBe(54);
  });
});

describe("resuming", () => {
  it("goes on after a budget, pays nothing twice, and needs the captures no more", async () => {
    const first = await bakeoff([...cheap, "--total-usd", "0.003", "--json"]);
    expect(first.exitCode).toBe(6);
    const cut = asReport(first.out);
    expect(cut.partial).toBe(true);
    const captures = openCaptureStore(join(folder, ".modelrig/captures.db"));
    captures.deleteWhere({});
    captures.close();
    const file = join(folder, ".modelrig/bakeoffs", `${cut.id}.jsonl`);
    // A call that was under way when the process was killed.
    appendFileSync(file, `${JSON.stringify({ type: "intent", id: "res_killed", arm: "cheap", most: 4_000_000 })}\n`);
    const again = await bakeoff(["--resume", cut.id, "--total-usd", "1", "--json"]);
    expect(again.exitCode).toBe(0);
    const whole = asReport(again.out);
    expect(cut.unknown_usd).toBeUndefined();
    expect(whole.unknown_usd).toBe("0.004000000");
    expect(whole).toMatchObject({ id: cut.id, seed: cut.seed, partial: false });
    const journal = readFileSync(join(folder, ".modelrig/bakeoffs", `${cut.id}.jsonl`), "utf8");
    const sent = journal
      .trim()
      .split("\n")
      .map((line) => JSON.parse(line) as { type: string; outcome?: string; arm?: string; input?: string })
      .filter(({ type, outcome }) => type === "sample" && outcome !== "refused")
      .map(({ arm, input }) => `${arm} ${input}`);
    expect(sent).toHaveLength(54);
    expect(new Set(sent).size).toBe(54);
  });

  it("is refused while another process runs the same", async () => {
    const { out } = await bakeoff([...cheap, "--total-usd", "0.003", "--json"]);
    const { id } = asReport(out);
    writeFileSync(join(folder, ".modelrig/bakeoffs", `${id}.lock`), String(process.ppid));
    const { exitCode, err } = await bakeoff(["--resume", id]);
    expect(exitCode).toBe(2);
    expect(err).toContain("bakeoff.running");
  });

  it("takes over from a process that is gone, and drops the line it was cut in", async () => {
    const { out } = await bakeoff([...cheap, "--total-usd", "0.003", "--json"]);
    const { id } = asReport(out);
    const path = join(folder, ".modelrig/bakeoffs", `${id}.jsonl`);
    writeFileSync(path, '{"type":"sample","arm":"che', { flag: "a" });
    writeFileSync(join(folder, ".modelrig/bakeoffs", `${id}.lock`), "999999999");
    const again = await bakeoff(["--resume", id, "--total-usd", "1", "--json"]);
    expect(asReport(again.out).partial).toBe(false);
    expect((await bakeoff(["--resume", id, "--json"])).exitCode).toBe(0);
  });
});

describe("with a gateway", () => {
  it("measures against the variant that serves live", async () => {
    const report = asReport(
      (await bakeoff(["--route", "acme.task", "--variants", "default", "--json"], withGateway())).out,
    );
    expect(report.incumbent).toBe("cheap");
    expect(report.arms.find(({ role }) => role === "incumbent")?.arm).toBe("cheap");
  });

  it("takes eval cases page by page, with their expected outputs as the measure", async () => {
    const args = ["--from-eval-cases", "acme.task", "--variants", "cheap", "--replay-last", "120", "--cluster", "run"];
    const report = asReport((await bakeoff([...args, "--json"], withGateway())).out);
    expect(report).toMatchObject({ metric: "golden", inputs: { used: 120 } });
  });

  it("takes eval cases that ask the same as one input, and finds the runs they belong to", async () => {
    copies = 4;
    const args = ["--from-eval-cases", "acme.task", "--variants", "cheap", "--replay-last", "120", "--json"];
    const { out, err } = await bakeoff(args, withGateway());
    expect(asReport(out).inputs).toMatchObject({ asked: 120, used: 30, weight: 120 });
    expect(err).toContain(
      "30: eval cases of acme.task, 120 calls asked 30 different inputs, those of one run belong together",
    );
  });

  it("holds every call in the org's envelopes, and closes what it holds", async () => {
    await bakeoff([...cheap], withGateway());
    const ids = (actions: readonly string[]) =>
      drawn.flatMap(({ action, id }) => (actions.includes(action) ? [id] : []));
    expect(ids(["reserve"]).length).toBeGreaterThan(0);
    expect(new Set(ids(["settle", "release"]))).toEqual(new Set(ids(["reserve"])));
  });

  it("sends the report and no text, and with --keep-outputs says what else goes where", async () => {
    live = "default";
    await bakeoff([...cheap], withGateway());
    expect(posted.map(({ path }) => path)).toEqual(["/v1/bakeoffs"]);
    expect(JSON.stringify(posted)).not.toContain("was late");
    posted = [];
    const { err } = await bakeoff([...cheap, "--keep-outputs", "2"], withGateway());
    expect(err).toMatch(/the gateway serves acme\.task as f{12}, this folder has [0-9a-f]{12}\n/);
    const [report, samples] = posted;
    expect(samples?.path).toBe(`/v1/bakeoff-samples/${report?.body["id"]}`);
    expect(samples?.body["samples"]).toHaveLength(6);
    expect(JSON.stringify(report)).not.toContain("was late");
    expect(err).toContain(`keeping for review: 2 inputs with 6 outputs, 1 KiB of text → ${url}${samples?.path}`);
  });

  it("proves a proposal: its route, and the evidence goes to it", async () => {
    const { exitCode } = await bakeoff(["--from-proposal", "prop_1", "--variants", "cheap"], withGateway());
    expect(exitCode).toBe(0);
    expect(posted.map(({ path }) => path)).toEqual(["/v1/bakeoffs?proposal=prop_1"]);
  });
});
