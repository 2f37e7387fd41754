import { execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { cpSync, mkdtempSync, readdirSync, readFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import { bakeoffReport } from "../../src/bakeoff/report/bakeoff-report.ts";

const demo = fileURLToPath(new URL("../../scripts/demo.ts", import.meta.url));
const routes = fileURLToPath(new URL("../../routes", import.meta.url));

async function runDemo(folder: string): Promise<{ exitCode: number | null; stdout: string; stderr: string }> {
  const env = { PATH: process.env["PATH"] ?? "", HOME: folder };
  const child = spawn(process.execPath, [demo, "--dir", folder], { env, stdio: ["ignore", "pipe", "pipe"] });
  let [stdout, stderr] = ["", ""];
  child.stdout.on("data", (chunk) => {
    stdout += String(chunk);
  });
  child.stderr.on("data", (chunk) => {
    stderr += String(chunk);
  });
  const [exitCode] = (await once(child, "close")) as [number | null];
  return { exitCode, stdout, stderr };
}

describe("the demo", () => {
  it("does the whole main job and ends with a patch that git applies", async () => {
    const folder = mkdtempSync(join(tmpdir(), "modelrig-demo-test-"));
    const { exitCode, stdout, stderr } = await runDemo(folder);
    expect({ exitCode, stderr: exitCode === 0 ? "" : stderr }).toEqual({ exitCode: 0, stderr: "" });
    for (let step = 1; step <= 7; step += 1) expect(stdout).toContain(`[${step}/7]`);
    expect(stdout).toContain("12 of 12 answered");
    expect(stdout).toContain("cheap clears");

    // The report is what its schema says, measured on the captured traffic, complete and labelled simulated.
    const reports = join(folder, ".modelrig/bakeoffs");
    const file = readdirSync(reports).find((name) => name.endsWith(".json")) ?? "none";
    const report = bakeoffReport.parse(JSON.parse(readFileSync(join(reports, file), "utf8")));
    expect(report).toMatchObject({ simulated: true, partial: false, inputs: { used: 300, variables: 300 } });
    expect(report.arms.every(({ sent }) => sent === 300)).toBe(true);
    expect(report.gate.proposes).toBe("cheap");
    expect(report.answers.evidence).toBe("checked");
    expect(stdout).toContain("example.support_summarize is now served by sim/atlas-small");

    // The patch applies to a copy of the routes, touches the route's own file alone, and is what the demo applied.
    const patch = stdout.slice(stdout.indexOf("diff --git"));
    const copy = mkdtempSync(join(tmpdir(), "modelrig-demo-copy-"));
    cpSync(routes, join(copy, "routes"), { recursive: true });
    execFileSync("git", ["init", "-q"], { cwd: copy });
    execFileSync("git", ["apply", "-"], { cwd: copy, input: patch });
    const changed = readdirSync(join(copy, "routes")).filter(
      (name) => readFileSync(join(copy, "routes", name), "utf8") !== readFileSync(join(routes, name), "utf8"),
    );
    expect(changed).toEqual(["example.support_summarize.yaml"]);
    for (const name of readdirSync(routes)) {
      expect(readFileSync(join(folder, "routes", name), "utf8")).toBe(readFileSync(join(copy, "routes", name), "utf8"));
    }
  }, 180_000);
});
