import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, writeFileSync } from "node:fs";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { servedDigest } from "../../../src/bakeoff/evidence/served-payload.ts";
import { armsOf } from "../../../src/bakeoff/plan/arm.ts";
import { main } from "../../../src/cli/main.ts";
import type { ProposalEvidence } from "../../../src/proposal/evidence.ts";
import { narrow } from "../../../src/route/narrow.ts";
import type { Route } from "../../../src/route/route.ts";
import { evidenceFigures } from "../../support/bakeoff/bakeoff-figures.ts";
import { fakeIo } from "../../support/hosts/fake-io.ts";
import { routeOf } from "../../support/sources/bundles.ts";

const FILE = `route: acme.task
candidates:
  - { provider: sim, model: atlas-large }   # serves
  - { provider: sim, model: atlas-small }
variants:
  - name: cheap
    candidates: [{ provider: sim, model: atlas-small }]
`;

let folder: string;
let server: Server;
let url: string;
let evidence: ProposalEvidence;
let state: string;
/** Bodies of `POST /v1/swaps` and of reverts, and the swap recorded by them. */
let posted: { path: string; body: Record<string, unknown> }[];
let recorded: Record<string, unknown> | undefined;

/** Answers like the gateway's control plane, from one proposal and at most one swap. */
function answer(method: string, path: string, body: Record<string, unknown>): { status: number; body: unknown } {
  const at = "2026-11-29T12:00:00.000Z";
  if (method === "GET" && path === "/v1/proposals/prop_1") {
    const base = { id: "prop_1", kind: "bakeoff", trigger: "manual_challenger", trigger_hash: "b".repeat(64) };
    const proposal = {
      ...base,
      route: "acme.task",
      state,
      created_at: at,
      expires_at: at,
      evidence,
      decided_at: at,
      decided_by: "k",
    };
    return { status: 200, body: { proposal, pull_request: { title: "t", body: "b", command: "c" } } };
  }
  if (method === "GET" && path === "/v1/swaps?proposal=prop_1")
    return { status: 200, body: { swaps: recorded ? [recorded] : [] } };
  if (method === "GET" && path === "/v1/swaps/swap_1" && recorded) return { status: 200, body: recorded };
  if (method === "POST") {
    posted.push({ path, body });
    const { bakeoff, measured_at, route_hash, incumbent, variant, swap_direction: direction } = evidence;
    const baseline = { bakeoff, measured_at, route_hash, incumbent };
    const approved = { route: "acme.task", variant, direction, baseline, approved_at: at, approved_by: "k" };
    recorded =
      path === "/v1/swaps"
        ? { id: "swap_1", state: "approved", ...body, ...approved }
        : { ...recorded, state: "reverted", reverted_at: at, reverted_by: "k" };
    return { status: path === "/v1/swaps" ? 201 : 200, body: recorded };
  }
  return { status: 404, body: { error: { message: "nothing here" } } };
}

beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), "modelrig-swap-cli-"));
  mkdirSync(join(folder, "app/routes"), { recursive: true });
  writeFileSync(join(folder, "app/routes/acme.task.yaml"), FILE);
  execFileSync("git", ["init", "-q"], { cwd: folder });
  evidence = evidenceFigures({ served: await servedBy(await routeOf(FILE)) });
  state = "evidenced";
  posted = [];
  recorded = undefined;
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

/** What a gateway that serves this file shows of it. */
async function promiseOf(file: string) {
  const route = await routeOf(file);
  const served = narrow(route, "default");
  return { route_hash: route.hash, serves: served.ok && (await servedDigest(served.value)) };
}

/** What the two arms of the file serve. */
async function servedBy(route: Route): Promise<ProposalEvidence["served"]> {
  const arms = armsOf(route, ["cheap"], "default");
  if (!arms.ok) throw new Error(arms.error.message);
  const [incumbent = "", challenger = ""] = await Promise.all(arms.value.map(({ narrowed }) => servedDigest(narrowed)));
  return { incumbent, challenger };
}

async function swap(...args: string[]) {
  const io = fakeIo({ cwd: join(folder, "app"), env: { MODELRIG_URL: url, MODELRIG_KEY: "rig_sk_test" } });
  const exitCode = await main(["swap", ...args], io);
  return { exitCode, out: io.out(), err: io.err() };
}

const fileNow = (): string => readFileSync(join(folder, "app/routes/acme.task.yaml"), "utf8");
const apply = (patch: string): void => void execFileSync("git", ["apply", "-"], { cwd: folder, input: patch });

describe("swap execute", () => {
  it("refuses without --approve, and asks nobody", async () => {
    const { exitCode, out, err } = await swap("execute", "prop_1");
    expect({ exitCode, out }).toEqual({ exitCode: 2, out: "" });
    expect(err).toContain("--approve");
    expect(posted).toEqual([]);
  });

  it("prints nothing but a patch on stdout, which git applies at the root of the repository", async () => {
    const { exitCode, out, err } = await swap("execute", "prop_1", "--approve");
    expect(exitCode).toBe(0);
    expect(out.startsWith("diff --git a/app/routes/acme.task.yaml b/app/routes/acme.task.yaml\n")).toBe(true);
    expect(err).toContain("modelrig swap revert swap_1");
    // It edits nothing itself.
    expect(fileNow()).toBe(FILE);
    apply(out);
    expect(fileNow()).toContain(
      "candidates:\n  - { provider: sim, model: atlas-small }\n  - { provider: sim, model: atlas-large } # serves\n",
    );
    expect(posted).toEqual([
      {
        path: "/v1/swaps",
        body: {
          proposal: "prop_1",
          path: "app/routes/acme.task.yaml",
          patch: out,
          promised: await promiseOf(fileNow()),
        },
      },
    ]);
  });

  it("prints the recorded patch again when it was executed before, also after it was applied", async () => {
    const first = await swap("execute", "prop_1", "--approve");
    apply(first.out);
    state = "approved";
    const second = await swap("execute", "prop_1", "--approve");
    expect(second).toMatchObject({ exitCode: 0, out: first.out });
    expect(posted).toHaveLength(1);
  });

  it("refuses evidence that was measured on another version of the route", async () => {
    evidence = { ...evidence, served: { ...evidence.served, challenger: "0".repeat(32) } };
    const { exitCode, out, err } = await swap("execute", "prop_1", "--approve");
    expect({ exitCode, out }).toEqual({ exitCode: 3, out: "" });
    expect(err).toContain("swap.route_changed");
    expect(posted).toEqual([]);
  });

  for (const word of ["rejected", "expired", "superseded"]) {
    it(`refuses a proposal that is ${word}`, async () => {
      state = word;
      expect(await swap("execute", "prop_1", "--approve")).toMatchObject({ exitCode: 3, out: "" });
      expect(posted).toEqual([]);
    });
  }

  it("says no to a proposal that does not exist", async () => {
    const { exitCode, err } = await swap("execute", "prop_2", "--approve");
    expect(exitCode).toBe(3);
    expect(err).toContain("there is no proposal prop_2");
  });

  describe("where the change costs more", () => {
    beforeEach(() => {
      evidence = { ...evidence, swap_direction: "up", cost_delta_usd_per_1k: 1.5 };
    });

    it("shows the cost rising and needs the route's name, also with --approve", async () => {
      const { exitCode, out, err } = await swap("execute", "prop_1", "--approve");
      expect({ exitCode, out }).toEqual({ exitCode: 2, out: "" });
      expect(err).toContain("raises effective cost by $1.50 per 1K conformant outputs");
      expect(posted).toEqual([]);
    });

    it("refuses another name", async () => {
      expect(await swap("execute", "prop_1", "--approve", "--confirm=yes")).toMatchObject({ exitCode: 3, out: "" });
      expect(posted).toEqual([]);
    });

    it("goes on with the name", async () => {
      expect(await swap("execute", "prop_1", "--approve", "--confirm=acme.task")).toMatchObject({ exitCode: 0 });
      expect(posted).toHaveLength(1);
    });
  });

  it("with --json prints one document that holds the patch", async () => {
    const { out } = await swap("execute", "prop_1", "--approve", "--json");
    expect(JSON.parse(out)).toMatchObject({
      schema: "modelrig.swap/1",
      id: "swap_1",
      patch: expect.stringContaining("diff --git"),
    });
  });
});

describe("swap show", () => {
  it("says what was promised, and that nothing serves it before the gateway does", async () => {
    await swap("execute", "prop_1", "--approve");
    const { exitCode, out } = await swap("show", "swap_1");
    expect(exitCode).toBe(0);
    expect(out).toMatch(/^state +approved, not served yet/m);
    expect(out).toMatch(/^promised +[0-9a-f]{12} of app\/routes\/acme\.task\.yaml$/m);
    recorded = { ...recorded, state: "serving", serving_since: "2026-11-30T08:00:00.000Z" };
    expect((await swap("show", "swap_1")).out).toMatch(/^state +serving since 2026-11-30T08:00:00.000Z$/m);
    expect(JSON.parse((await swap("show", "swap_1", "--json")).out)).toMatchObject({ state: "serving" });
  });

  it("says no to one that does not exist", async () => {
    expect(await swap("show", "swap_9")).toMatchObject({ exitCode: 3, out: "" });
  });
});

describe("swap revert", () => {
  it("prints the patch that takes an applied swap back, and records it", async () => {
    apply((await swap("execute", "prop_1", "--approve")).out);
    expect(fileNow()).not.toBe(FILE);
    const { exitCode, out } = await swap("revert", "swap_1");
    expect(exitCode).toBe(0);
    apply(out);
    expect(fileNow()).toBe(FILE);
    expect(posted.at(-1)?.path).toBe("/v1/swaps/swap_1/revert");
  });

  it("refuses, and records nothing, where the file is not as the swap left it", async () => {
    await swap("execute", "prop_1", "--approve");
    const { exitCode, out, err } = await swap("revert", "swap_1");
    expect({ exitCode, out }).toEqual({ exitCode: 3, out: "" });
    expect(err).toContain("swap.does_not_apply");
    expect(posted).toHaveLength(1);
  });
});
