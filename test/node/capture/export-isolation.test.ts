/**
 * Captures leave this machine as replays to a provider and in no other way. Canaries are planted in every field of
 * captures; every request that goes out is recorded, at the socket, and searched for them.
 */
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { Capture } from "../../../src/capture/capture.ts";
import { main } from "../../../src/cli/main.ts";
import { REGISTRY_SCHEMA } from "../../../src/registry/record.ts";
import { openCaptures } from "../../../src/workspace/local-captures.ts";
import { fakeIo } from "../../support/hosts/fake-io.ts";

interface Outgoing {
  readonly to: "provider" | "gateway";
  readonly url: string;
  readonly headers: string;
  readonly body: string;
}

let folder: string;
let outgoing: Outgoing[];
let servers: Server[];

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "modelrig-isolation-"));
  outgoing = [];
  servers = [];
});
afterEach(() => {
  for (const server of servers) server.closeAllConnections();
  for (const server of servers) server.close();
});

const ANSWER = JSON.stringify({ summary: "an answer" });

/** Answers as a provider, or as the gateway of `modelrig bakeoff`, and keeps all that reached it. */
async function listen(
  to: Outgoing["to"],
  answer: (url: string, body: string) => { status: number; body: unknown },
): Promise<string> {
  const server = createServer((incoming, response) => {
    const chunks: Buffer[] = [];
    incoming.on("data", (chunk: Buffer) => chunks.push(chunk));
    incoming.on("end", () => {
      const url = incoming.url ?? "";
      const sent = Buffer.concat(chunks).toString("utf8");
      outgoing.push({ to, url, headers: incoming.rawHeaders.join("\n"), body: sent });
      const { status, body } = answer(url, sent);
      response.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify(body));
    });
  });
  servers.push(server);
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

const completion = () => ({
  status: 200,
  body: {
    id: "c1",
    object: "chat.completion",
    created: 1,
    model: "m",
    choices: [{ index: 0, message: { role: "assistant", content: ANSWER }, finish_reason: "stop" }],
    usage: { prompt_tokens: 10, completion_tokens: 5, total_tokens: 15 },
  },
});

function writeProject(provider: string): void {
  writeFileSync(
    join(folder, "modelrig.yaml"),
    `providers:
  stub:
    dialect: openai
    base_url: ${provider}/v1
    models:
      dear: { price: { input_per_million: 10, output_per_million: 10 }, max_output: 100, capabilities: { native_strict: true } }
      cheap: { price: { input_per_million: 1, output_per_million: 1 }, max_output: 100, capabilities: { native_strict: true } }
`,
  );
  mkdirSync(join(folder, "routes"));
  writeFileSync(join(folder, "routes", "acme.task.yaml"), ROUTE_FILE);
}

const ROUTE_FILE = `route: acme.task
candidates:
  - { provider: stub, model: dear }
  - { provider: stub, model: cheap }
input: { type: object, properties: { text: { type: string } } }
template: { system: Summarise., user: "{{ text }}" }
output:
  schema: { type: object, properties: { summary: { type: string } }, required: [summary], additionalProperties: false }
capture: true
variants:
  - name: cheap
    candidates: [{ provider: stub, model: cheap }]
`;

const CANARY = "CANARY-4f1c9a";

/** A canary in every field that a call or its answer can fill. */
function planted(index: number, kind: "variables" | "messages"): Capture {
  const secret = `${CANARY}-input-${index}`;
  return {
    id: `cap_${index}`,
    at: 1_700_000_000_000 + index,
    payload:
      kind === "variables"
        ? { kind, variables: { text: secret } }
        : { kind, request: { messages: [{ role: "user", content: secret }] } },
    inferenceId: `inf_${CANARY}`,
    route: "acme.task",
    variant: undefined,
    output: `${CANARY}-output-${index}`,
    outcome: "answered",
    capabilities: {},
    served: `stub/${CANARY}`,
    tags: { client: `${CANARY}-tag` },
  };
}

const WHOAMI = {
  org: { id: "org_a", slug: "a" },
  key: { id: "key_a", scopes: ["admin"] },
  time: "2026-12-01T00:00:00.000Z",
};

/** A gateway that takes all that a bake-off may tell it. */
function gatewayAnswer(url: string, body: string): { status: number; body: unknown } {
  if (url.startsWith("/v1/envelopes/")) return { status: 200, body: { granted: true, envelopes: [] } };
  if (url === "/v1/evidence-salt") return { status: 200, body: { salt: "s".repeat(43) } };
  if (url.startsWith("/v1/evidence/")) return { status: 200, body: { looks: [JSON.parse(body)] } };
  if (url.endsWith("/live"))
    return { status: 200, body: { route: "acme.task", variant: "default", pin: null, route_hash: "f".repeat(64) } };
  if (url === "/v1/registry") return { status: 200, body: { schema: REGISTRY_SCHEMA, capabilities: [] } };
  if (url === "/v1/whoami") return { status: 200, body: WHOAMI };
  if (url === "/v1/ingest") return { status: 200, body: { accepted: JSON.parse(body).items.length, items: [] } };
  return { status: 201, body: { id: "bo_1", proposal: { id: "prop_1", state: "evidenced" } } };
}

async function bakeOff(): Promise<{ exitCode: number; out: string; err: string }> {
  const provider = await listen("provider", completion);
  const gateway = await listen("gateway", gatewayAnswer);
  writeProject(provider);
  const io = fakeIo({ cwd: folder, env: { MODELRIG_URL: gateway, MODELRIG_KEY: "rig_sk_test" } });
  const store = openCaptures(io.cwd);
  for (let index = 0; index < 40; index += 1) store.add(planted(index, index % 2 === 0 ? "variables" : "messages"));
  store.close();
  const exitCode = await main(["bakeoff", "--route", "acme.task", "--seed", "1"], io);
  return { exitCode, out: io.out(), err: io.err() };
}

describe("export isolation", () => {
  it("lets captured inputs reach the provider replay, and nothing of a capture reach anything else", async () => {
    const { exitCode, out, err } = await bakeOff();
    expect({ exitCode, err: exitCode === 0 ? "" : err }).toEqual({ exitCode: 0, err: "" });
    const replays = outgoing.filter(({ to }) => to === "provider");
    const mirrored = outgoing.filter(({ to }) => to === "gateway");
    // The test can fail: the canaries do go out where they must, on every input of both arms.
    for (let index = 0; index < 40; index += 1) {
      const own = replays.filter(({ body }) => body.includes(`"${CANARY}-input-${index}"`));
      expect(own).toHaveLength(2);
    }
    const told = mirrored.filter(({ url }) => !url.startsWith("/v1/envelopes/"));
    expect(new Set(told.map(({ url }) => url))).toEqual(
      new Set([
        ...["/v1/registry", "/v1/whoami", "/v1/ingest", "/v1/routes/acme.task/live"],
        ...["/v1/evidence-salt", "/v1/evidence/acme.task", "/v1/bakeoffs"],
      ]),
    );
    const report = told.find(({ url }) => url === "/v1/bakeoffs");
    expect(JSON.parse(report?.body ?? "")).toMatchObject({ schema: "modelrig.bakeoff/1", route: "acme.task" });
    // Figures of each evaluation call, readable here: a compressed body would hide the canary.
    const rows = told.filter(({ url }) => url === "/v1/ingest").flatMap(({ body }) => JSON.parse(body).items);
    expect(rows).toHaveLength(80);
    for (const request of mirrored) expect(JSON.stringify(request)).not.toContain(CANARY);
    // Only the input is replayed: the old answer, the tags and the ids stay.
    for (const request of replays) {
      expect(JSON.stringify(request)).not.toMatch(new RegExp(`${CANARY}-(output|tag)|inf_${CANARY}|stub/${CANARY}`));
    }
    expect(out).not.toContain(CANARY);
    expect(err).not.toContain(CANARY);
  });

  it("keeps no text in a bake-off's report and journal, and the rest in files that only their owner reads", async () => {
    await bakeOff();
    const files = join(folder, ".modelrig/bakeoffs");
    const names = readdirSync(files);
    expect(names).toHaveLength(4);
    for (const name of names) {
      expect(statSync(join(files, name)).mode & 0o077).toBe(0);
      const text = readFileSync(join(files, name), "utf8");
      // What a capture holds beside its input is in none of them.
      expect(text).not.toMatch(new RegExp(`${CANARY}-(output|tag)|inf_${CANARY}|stub/${CANARY}`));
      expect(text.includes(`${CANARY}-input`)).toBe(name.endsWith(".inputs.jsonl"));
      expect(text.includes("an answer")).toBe(name.endsWith(".outputs.jsonl"));
    }
  });

  it("is built in: the Worker's bundle holds no input from src/capture", ({ skip }) => {
    const metafile = fileURLToPath(new URL("../../../dist/worker/meta.json", import.meta.url));
    if (!existsSync(metafile)) skip("the Worker is not built: npm run build");
    const { inputs } = JSON.parse(readFileSync(metafile, "utf8")) as { inputs: Record<string, unknown> };
    const names = Object.keys(inputs);
    // It is the right file: the endpoints that take the mirror are in it.
    expect(names.some((name) => name.endsWith("workers/endpoints/bakeoffs/bakeoffs.ts"))).toBe(true);
    expect(names.filter((name) => /(^|\/)src\/(capture|cli|localdb)\//.test(name))).toEqual([]);
  });
});
