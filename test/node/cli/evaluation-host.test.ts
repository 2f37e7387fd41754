import { mkdirSync, mkdtempSync, readdirSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { EnvelopePort } from "../../../src/call/ports.ts";
import { evaluationHost } from "../../../src/cli/evaluation-host.ts";
import { main } from "../../../src/cli/main.ts";
import { DEFAULT_CONFIG } from "../../../src/config/defaults.ts";
import { addToLocalRegistry } from "../../../src/workspace/local-registry.ts";
import { fakeIo } from "../../support/hosts/fake-io.ts";
import { listen, type RunningServer } from "../../support/upstreams/http-server.ts";

const MEASURED = {
  provider: "sim",
  model: "atlas-small",
  capability: "coached",
  simulated: true,
  method: "m",
} as const;
const NO_ENVELOPES: EnvelopePort = {
  reserve: async () => "unreachable",
  settle: () => undefined,
  release: () => undefined,
};

let folder: string;
let gateway: RunningServer;
/** What the gateway was asked, and the telemetry it took. */
let asked: string[];
let taken: { readonly lane: string; readonly tags: Record<string, string> }[];
let registryStatus: number;

beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), "modelrig-evaluation-"));
  mkdirSync(join(folder, "routes"));
  [asked, taken, registryStatus] = [[], [], 200];
  gateway = await listen((request, response) => {
    let text = "";
    request.on("data", (chunk) => {
      text += String(chunk);
    });
    request.on("end", () => {
      const path = `${request.method} ${request.url}`;
      asked.push(path);
      const { status, body } = answerOf(path, text);
      response.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify(body));
    });
  });
});
afterEach(() => gateway.close());

function answerOf(path: string, text: string): { status: number; body: unknown } {
  if (path === "GET /v1/registry") {
    const row = { ...MEASURED, n: 40, passed: 39, measured_at: "2026-11-20T00:00:00.000Z" };
    if (registryStatus !== 200) return { status: registryStatus, body: { error: { message: "missing scope read" } } };
    return { status: 200, body: { schema: "modelrig.registry/1", capabilities: [row] } };
  }
  if (path === "POST /v1/registry") return { status: 201, body: { recorded: 1 } };
  if (path === "GET /v1/whoami") return { status: 200, body: { org: { id: "org_1", slug: "acme" } } };
  if (path === "POST /v1/ingest") {
    const items = (JSON.parse(text) as { items: { inference: (typeof taken)[number] }[] }).items;
    taken.push(...items.map(({ inference }) => inference));
    return { status: 200, body: { accepted: items.length, items: [] } };
  }
  if (path.startsWith("POST /v1/envelopes/"))
    return { status: 200, body: { granted: true, envelopes: [], booked: true, known: true, overrun_usd: "0" } };
  return { status: 404, body: { error: { message: "nothing here" } } };
}

const ioOf = (env: Record<string, string> = { MODELRIG_URL: gateway.url, MODELRIG_KEY: "rig_sk_test" }) =>
  fakeIo({ cwd: folder, env });

async function passedOf(io = ioOf()): Promise<number | undefined> {
  const host = await evaluationHost(io, {}, { config: DEFAULT_CONFIG });
  const found = host.ports(NO_ENVELOPES).registry.find("sim", "atlas-small");
  await host.close();
  return found[0]?.passed;
}

const probedHere = (passed: number, measuredAt: string): void =>
  void addToLocalRegistry(folder, [{ ...MEASURED, n: 40, passed, measuredAt, low: 0, high: 1 }]);

describe("what commands know of models", () => {
  it("is what the gateway measured, so that they ask a model as the gateway would", async () => {
    expect(await passedOf()).toBe(39);
  });

  it("is the newer measurement where both have one", async () => {
    probedHere(12, "2026-11-19T00:00:00.000Z");
    expect(await passedOf()).toBe(39);
    probedHere(13, "2026-11-21T00:00:00.000Z");
    expect(await passedOf()).toBe(13);
  });

  it.each([403, 500])("is this machine's own where the gateway answers %d, and that is said", async (status) => {
    registryStatus = status;
    probedHere(12, "2026-11-19T00:00:00.000Z");
    const io = ioOf();
    expect(await passedOf(io)).toBe(12);
    expect(io.err()).toContain("measured capabilities are this machine's own");
  });

  it("is this machine's own without a gateway, which nobody is asked for", async () => {
    probedHere(12, "2026-11-19T00:00:00.000Z");
    const io = ioOf({});
    expect(await passedOf(io)).toBe(12);
    expect({ asked, err: io.err() }).toEqual({ asked: [], err: "" });
  });
});

describe("calls that a command pays for", () => {
  const probe = async (...args: string[]) => {
    const io = ioOf();
    return { exitCode: await main(["probe", ...args], io), out: io.out(), err: io.err() };
  };

  it("leave a row each at the gateway, in a lane of their own and without text", async () => {
    const { exitCode } = await probe("sim/atlas-small", "--samples", "4", "--capability", "coached,tools");
    expect(exitCode).toBe(0);
    expect(taken.length).toBeGreaterThanOrEqual(8);
    expect(new Set(taken.map(({ lane }) => lane))).toEqual(new Set(["probe"]));
    expect(taken.every(({ tags }) => tags["probe"]?.startsWith("probe_"))).toBe(true);
    for (const row of taken) expect(Object.keys(row)).not.toEqual(expect.arrayContaining(["output", "messages"]));
  });

  it("are asked about first: without a terminal and --yes nothing is sent", async () => {
    const { exitCode, err } = await probe("openai/gpt-5.4-mini");
    expect(exitCode).toBe(2);
    expect(err).toMatch(/openai\/gpt-5\.4-mini: 170 calls, about \$0\.\d+, at most \$1\.00/);
    expect(err).toContain("--yes");
    expect(taken).toEqual([]);
  });

  it("are only counted with --dry-run, which writes nothing and sends nothing", async () => {
    const { exitCode, out } = await probe("openai/gpt-5.4-mini", "sim/atlas-small", "--dry-run", "--json");
    expect(exitCode).toBe(0);
    expect(JSON.parse(out)).toMatchObject({
      schema: "modelrig.probe-estimate/1",
      models: [
        { model: "gpt-5.4-mini", calls: 170, most_usd: expect.stringMatching(/^1/), simulated: false },
        { model: "atlas-small", estimated_usd: "0", simulated: true },
      ],
    });
    expect(asked).toEqual(["GET /v1/registry"]);
    expect(readdirSync(folder)).toEqual(["routes"]);
  });

  it("stay on the disk where the gateway takes none, and go out with the next command's", async () => {
    await gateway.close();
    const url = new URL(gateway.url);
    await probe("sim/atlas-small", "--samples", "3", "--capability", "coached");
    expect(taken).toEqual([]);
    gateway = await listen((request, response) => {
      let text = "";
      request.on("data", (chunk) => {
        text += String(chunk);
      });
      request.on("end", () => {
        const { status, body } = answerOf(`${request.method} ${request.url}`, text);
        response.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify(body));
      });
    }, Number(url.port));
    await probe("sim/atlas-small", "--samples", "2", "--capability", "coached");
    // The first was refused, for nothing could hold its limits; its rows say so.
    expect(new Set(taken.map(({ tags }) => tags["probe"])).size).toBe(2);
  });
});
