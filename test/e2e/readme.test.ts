/** The README's tour as a reader pastes it, and what it prints beside what the README shows. */
import { execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { chmodSync, cpSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { stripVTControlCharacters } from "node:util";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { main } from "../../src/cli/main.ts";
import { type DevProcess, freshFolder, startDev } from "../support/hosts/dev-process.ts";
import { fakeIo } from "../support/hosts/fake-io.ts";
import { commandsOf, type Fence, fencesOf, shapeOf } from "../support/sources/fences.ts";

const root = fileURLToPath(new URL("../..", import.meta.url));
const fences = fencesOf(readFileSync(join(root, "README.md"), "utf8"));
const fenceWith = (text: string): Fence => {
  const found = fences.find((fence) => fence.text.includes(text));
  if (!found) throw new Error(`the README has no fence with ${text}`);
  return found;
};
/** The fence that shows what the commands of this one print. */
const shownBelow = (fence: Fence): Fence => fences[fences.indexOf(fence) + 1] ?? { language: "", text: "", line: 0 };

let folder: string;
let dev: DevProcess;

beforeAll(async () => {
  folder = freshFolder();
  for (const part of ["routes", "docs/examples"]) cpSync(join(root, part), join(folder, part), { recursive: true });
  execFileSync("git", ["init", "-q"], { cwd: folder });
  // What `npx modelrig` finds in a clone.
  mkdirSync(join(folder, ".bin"));
  const npx = `#!/bin/sh\nshift\nexec ${process.execPath} ${join(root, "bin/modelrig.js")} "$@"\n`;
  writeFileSync(join(folder, ".bin/npx"), npx);
  chmodSync(join(folder, ".bin/npx"), 0o755);
  dev = await startDev([], { cwd: folder });
}, 120_000);
afterAll(async () => void (await dev?.stop()));

/** The fence's text as a shell runs it, with this gateway's address and key; rejects where a command fails. */
async function pasted(fence: Fence, more: Readonly<Record<string, string>> = {}): Promise<string> {
  const own = { "http://127.0.0.1:8787": dev.ready.url, "rig_sk_…": dev.ready.key, ...more };
  const text = Object.entries(own).reduce((all, [shown, real]) => all.replaceAll(shown, real), fence.text);
  const env = { PATH: `${join(folder, ".bin")}:${process.env["PATH"] ?? ""}`, HOME: folder };
  const child = spawn("bash", ["-euo", "pipefail", "-c", text], { cwd: folder, env });
  let [out, error] = ["", ""];
  child.stdout.on("data", (chunk) => {
    out += String(chunk);
  });
  child.stderr.on("data", (chunk) => {
    error += String(chunk);
  });
  const [code] = (await once(child, "close")) as [number | null];
  expect({ code, error: code === 0 ? "" : error }, `README line ${fence.line}`).toEqual({ code: 0, error: "" });
  return out + error;
}

/** The fence's one command as a terminal of 80 columns shows it. */
async function onTerminal(fence: Fence): Promise<string> {
  const [command = ""] = commandsOf(fence);
  const io = fakeIo({ cwd: folder, tty: true, columns: 80, env: { NO_COLOR: "1" } });
  expect(await main(command.split(/\s+/).slice(2), io), io.err()).toBe(0);
  return stripVTControlCharacters(`${io.out()}\n${io.err().replace(/\r/g, "\n")}`);
}

/** Every line of the sample was printed, in this order; numbers and ids are a run's own. */
function expectShown(sample: Fence, printed: string): void {
  const lines = shapeOf(printed);
  let from = 0;
  for (const line of shapeOf(sample.text)) {
    const at = lines.indexOf(line, from);
    expect(at, `README from line ${sample.line}: ${JSON.stringify(line)} is not in\n${lines.join("\n")}`).not.toBe(-1);
    from = at + 1;
  }
}

describe("the README's tour", () => {
  let proposal = "";

  it("calls a route", async () => {
    const call = fenceWith("curl -i");
    expectShown(shownBelow(call), (await pasted(call)).replace(/\r/g, ""));
  }, 60_000);

  it("captures with a proxy that Ctrl-C ends", async () => {
    const [command = ""] = commandsOf(fenceWith("modelrig capture "));
    const args = [join(root, "bin/modelrig.js"), ...command.split(/\s+/).slice(2), "--port", "0"];
    const child = spawn(process.execPath, args, { cwd: folder, env: { PATH: process.env["PATH"], HOME: folder } });
    let said = "";
    for (const stream of [child.stdout, child.stderr])
      stream.on("data", (chunk) => {
        said += String(chunk);
      });
    const ended = once(child, "close");
    await vi.waitFor(() => expect(said).toContain("http://127.0.0.1:"), { timeout: 60_000 });
    child.kill("SIGINT");
    expect((await ended)[0]).toBe(0);
  }, 90_000);

  it("brings in the sample file's tickets", async () => {
    expect(await pasted(fenceWith("captures import"))).toContain("added 300");
  }, 60_000);

  it("bakes off with the figures it shows, and files a proposal", async () => {
    const bakeoff = fenceWith("modelrig bakeoff ");
    const printed = await onTerminal(bakeoff);
    expectShown(shownBelow(bakeoff), printed);
    proposal = /proposal (prop_[0-9a-f-]+) \(evidenced\)/.exec(printed)?.[1] ?? "";
    expect(proposal).not.toBe("");
  }, 240_000);

  it("ends in a change that the gateway serves", async () => {
    const apply = fenceWith("git apply");
    await pasted(apply, { "prop_…": proposal });
    const shown = shownBelow(apply).text.split("\n").slice(3);
    const now = readFileSync(join(folder, "routes/example.support_summarize.yaml"), "utf8");
    for (const line of shown.filter((one) => one.startsWith("+"))) expect(now).toContain(line.slice(1));
    const call = fenceWith("curl -i");
    await vi.waitFor(async () => expect(await pasted(call)).toContain("x-modelrig-served: sim/atlas-small"), {
      timeout: 60_000,
      interval: 500,
    });
    const io = fakeIo({ cwd: folder });
    await main(["swap", "list", "--json"], io);
    expect(JSON.parse(io.out())).toMatchObject({ swaps: [{ proposal, state: "serving" }] });
  }, 120_000);
});
