/**
 * The main job, end to end, on the simulated provider: serve a route, record its traffic, prove a cheaper variant on
 * 300 recorded tickets, approve the change and see it served. Needs no key and no network. `npm run demo`;
 * `--dir <folder>` keeps its files there.
 */
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { cpSync, mkdirSync, mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";

const ROUTE = "example.support_summarize";
const CALLS = 12;
const AT_ONCE = 6;
/** Recorded tickets that the demo brings in: what a team would have after some days. */
const RECORDED = 300;
const RELOADED_WITHIN_MS = 60_000;

const launcher = fileURLToPath(new URL("../bin/modelrig.js", import.meta.url));
const exampleRoutes = fileURLToPath(new URL("../routes", import.meta.url));
const exampleTickets = fileURLToPath(new URL("../docs/examples/support-tickets.jsonl", import.meta.url));
const children = new Set<ChildProcess>();

async function main(): Promise<void> {
  const { values } = parseArgs({ options: { dir: { type: "string" } } });
  const folder = values.dir === undefined ? mkdtempSync(join(tmpdir(), "modelrig-demo-")) : resolve(values.dir);
  mkdirSync(folder, { recursive: true });
  cpSync(exampleRoutes, join(folder, "routes"), { recursive: true });
  await command("git", ["init", "-q"], folder);
  const rig = (...args: string[]) => command(process.execPath, [launcher, ...args], folder);
  const show = (...args: string[]) => command(process.execPath, [launcher, ...args], folder, { shown: true });

  step(1, "a gateway on this machine", `Everything it serves comes from the simulated provider and says so.`);
  const dev = await service<{ url: string; key: string }>(["dev", "--port", "0", "--json"], folder);
  say(`gateway ${dev.ready.url}, route files in ${join(folder, "routes")}`);

  step(2, "a local proxy that records what goes through it", "The gateway never sees a capture; the file stays here.");
  const capture = await service<{ url: string }>(
    ["capture", "--port", "0", "--upstream", dev.ready.url, "--json"],
    folder,
  );
  say(
    `clients use ${capture.ready.url}/v1 instead of the gateway; captures go to ${join(folder, ".modelrig/captures.db")}`,
  );

  step(3, `${CALLS} calls of ${ROUTE}, as an application would make them`);
  const served = await makeCalls(capture.ready.url, dev.ready.key);
  say(`${served.answered} of ${CALLS} answered by ${[...served.by].join(", ")}; ${served.streamed} of them streamed`);
  await stop(capture.child);
  await show("captures", "stats");

  step(
    4,
    `${RECORDED} recorded tickets, brought in from a file`,
    "As they could come from the logs of another system.",
  );
  await show("captures", "import", exampleTickets);

  step(5, "a bake-off: the same inputs through the cheaper variants", "Real calls, each arm under its own budget.");
  const asked = ["--route", ROUTE, "--replay-last", String(RECORDED), "--budget-usd", "2", "--concurrency", "32"];
  await show("bakeoff", ...asked, "--seed", "7", "--yes");
  say(`figures in ${join(folder, ".modelrig/bakeoffs")}; the gateway got them without any text of a call`);

  step(6, "the proposal that the bake-off filed", "Nothing has changed yet. A human reads the evidence and decides.");
  const proposal = await evidencedProposal(rig);
  await show("proposals", "show", proposal);

  step(7, "the change, approved, recorded and applied", "As a patch: git records it, and one commit takes it back.");
  const patch = await rig("swap", "execute", proposal, "--approve");
  await command("git", ["apply", "-"], folder, { input: patch });
  say(`the gateway took the changed route file: ${ROUTE} is now served by ${await servedAfter(dev.ready)}`);
  await stop(dev.child);
  say(`all files of this demo: ${folder}`);
  say(`to go on: cd ${folder} && node ${launcher} dev\n`);
  process.stdout.write(patch);
}

/** The model that serves the route once the gateway has read its changed file. */
async function servedAfter({ url, key }: { url: string; key: string }): Promise<string> {
  const before = "sim/atlas-large";
  const deadline = Date.now() + RELOADED_WITHIN_MS;
  for (;;) {
    const served = await servedBy(url, key);
    if (served !== before) return served;
    if (Date.now() > deadline) throw new Error(`${before} still serves ${ROUTE}: the gateway did not take the change`);
    await new Promise((resolve) => setTimeout(resolve, 250));
  }
}

async function servedBy(url: string, key: string): Promise<string> {
  const response = await fetch(`${url}/v1/run/${ROUTE}`, {
    method: "POST",
    headers: { authorization: `Bearer ${key}`, "content-type": "application/json" },
    body: JSON.stringify({ input: { ticket: ticket(0) } }),
  });
  await response.text();
  if (!response.ok) throw new Error(`the gateway answered ${response.status} after the change`);
  return response.headers.get("x-modelrig-served") ?? "unknown";
}

interface Served {
  answered: number;
  streamed: number;
  readonly by: Set<string>;
}

/** Calls through the proxy, a few at a time, every fifth streamed. */
async function makeCalls(proxy: string, key: string): Promise<Served> {
  const served: Served = { answered: 0, streamed: 0, by: new Set() };
  const tickets = Array.from({ length: CALLS }, (_, index) => ticket(index)).reverse();
  const worker = async (): Promise<void> => {
    for (let next = tickets.pop(); next !== undefined; next = tickets.pop()) {
      const stream = tickets.length % 5 === 0;
      const response = await fetch(`${proxy}/v1/run/${ROUTE}`, {
        method: "POST",
        headers: { authorization: `Bearer ${key}`, "content-type": "application/json" },
        body: JSON.stringify({ input: { ticket: next, product: "Web shop" }, tags: { client: "demo" }, stream }),
      });
      await response.text();
      if (!response.ok) continue;
      served.answered += 1;
      if (stream) served.streamed += 1;
      served.by.add(response.headers.get("x-modelrig-served") ?? "unknown");
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, worker));
  return served;
}

function ticket(index: number): string {
  const subjects = [
    `My order ${1000 + index} should have arrived on Monday and the tracking page still says "in preparation".`,
    `I was charged twice for invoice A-${4000 + index}. Please refund one of the two payments.`,
    `Since this morning I cannot sign in; the reset mail never arrives at my address number ${index}.`,
    `The export of report ${index} stops at 40 percent with an error about a missing column.`,
  ];
  return `${subjects[index % subjects.length]} This is urgent for us. Thank you, customer ${index}.`;
}

async function evidencedProposal(rig: (...args: string[]) => Promise<string>): Promise<string> {
  const { proposals } = JSON.parse(await rig("proposals", "list", "--state", "evidenced", "--json")) as {
    proposals: readonly { id: string }[];
  };
  const [first] = proposals;
  if (!first) throw new Error("the bake-off filed no proposal");
  return first.id;
}

/** Starts a long-running command and waits for the one JSON line that says it is ready. */
async function service<T>(args: readonly string[], cwd: string): Promise<{ ready: T; child: ChildProcess }> {
  const child = spawn(process.execPath, [launcher, ...args], { cwd, stdio: ["ignore", "pipe", "inherit"] });
  children.add(child);
  child.once("exit", () => children.delete(child));
  const [line] = (await Promise.race([
    once(createInterface({ input: child.stdout }), "line"),
    once(child, "exit").then(() => {
      throw new Error(`modelrig ${args[0]} ended before it was ready`);
    }),
  ])) as [string];
  return { ready: JSON.parse(line) as T, child };
}

async function stop(child: ChildProcess): Promise<void> {
  const ended = once(child, "exit");
  child.kill("SIGTERM");
  await ended;
}

/**
 * Runs a command to its end and answers its stdout, or lets it write to ours where it is to be shown. What it says on
 * stderr is passed on. Rejects when it fails.
 */
async function command(
  name: string,
  args: readonly string[],
  cwd: string,
  { input = "", shown = false }: { readonly input?: string; readonly shown?: boolean } = {},
): Promise<string> {
  const child = spawn(name, args, { cwd, stdio: ["pipe", shown ? "inherit" : "pipe", "inherit"] });
  children.add(child);
  let output = "";
  child.stdout?.on("data", (chunk: Buffer) => {
    output += chunk.toString("utf8");
  });
  child.stdin?.end(input);
  const [exitCode] = (await once(child, "close")) as [number | null];
  children.delete(child);
  if (exitCode !== 0) throw new Error(`${[name, ...args].join(" ")} ended with ${exitCode}\n${output}`);
  return output;
}

function step(number: number, title: string, why = ""): void {
  console.log(`\n[${number}/7] ${title}${why === "" ? "" : `\n      ${why}`}`);
}

function say(line: string): void {
  console.log(`      ${line}`);
}

function endChildren(): void {
  for (const child of children) child.kill("SIGTERM");
}

process.once("SIGINT", () => {
  endChildren();
  process.exitCode = 130;
});

try {
  await main();
} catch (cause) {
  endChildren();
  console.error(cause instanceof Error ? cause.message : cause);
  process.exitCode = 1;
}
