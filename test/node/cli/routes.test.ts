import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { main } from "../../../src/cli/main.ts";
import { codeFrame } from "../../../src/cli/output/faults.ts";
import { compileFolder } from "../../../src/workspace/compile-folder.ts";
import { fakeIo } from "../../support/hosts/fake-io.ts";

const repository = fileURLToPath(new URL("../../..", import.meta.url));
let folder: string;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "routes-"));
  mkdirSync(join(folder, "routes"));
});
afterEach(() => rmSync(folder, { recursive: true }));

async function run(...argv: string[]) {
  const io = fakeIo({ cwd: folder });
  const exit = await main(["routes", ...argv], io);
  return { exit, out: io.out(), err: io.err() };
}

const write = (name: string, text: string): void => writeFileSync(join(folder, name), text);

describe("the example bundles", () => {
  it("compile without a warning, with the example configuration", async () => {
    const { result } = await compileFolder({ cwd: repository });
    expect(result.ok ? result.warnings : result.error).toEqual([]);
    expect(result.ok && result.value.routes.map(({ name }) => name)).toEqual([
      "example.chat",
      "example.enveloped",
      "example.extract_invoice",
      "example.support_summarize",
    ]);
  });
});

describe("routes new", () => {
  it("writes a bundle that compiles without a warning", async () => {
    expect(await run("new", "acme.my_task")).toMatchObject({ exit: 0 });
    expect(await run("check")).toEqual({ exit: 0, out: "1 route valid, 0 warnings\n", err: "" });
  });

  it("never overwrites", async () => {
    write("routes/acme.my_task.yml", "mine");
    expect(await run("new", "acme.my_task")).toMatchObject({ exit: 2 });
    expect(readFileSync(join(folder, "routes/acme.my_task.yml"), "utf8")).toBe("mine");
  });

  it.each(["../escape", "a/b", "auto", "", "a b"])("refuses the name %j", async (name) => {
    const { exit } = await run("new", name);
    expect(exit).toBe(2);
  });
});

describe("routes check", () => {
  const broken = "route: acme.x\ncandidates:\n  - provider: sim\n    modl: slow\n";

  it("shows each fault with its place, its line and the way out, and exits 3", async () => {
    write("routes/acme.x.yaml", broken);
    const { exit, out, err } = await run("check");
    expect(exit).toBe(3);
    expect(out).toBe("");
    expect(err).toBe(
      [
        "error[route.unknown_key] routes/acme.x.yaml:4:5  candidates[0].modl",
        "  unknown key modl; did you mean model?",
        "  2 | candidates:",
        "  3 |   - provider: sim",
        "> 4 |     modl: slow",
        "    |     ^^^^",
        "",
        "error[route.missing_key] routes/acme.x.yaml:3:5  candidates[0].model",
        "  model is required: expected text",
        "  1 | route: acme.x",
        "  2 | candidates:",
        "> 3 |   - provider: sim",
        "    |     ^^^^^^^^^^^^^",
        "",
        "2 errors, 0 warnings",
        "",
      ].join("\n"),
    );
  });

  it("is one JSON document with --json", async () => {
    write("routes/acme.x.yaml", broken);
    const { exit, out, err } = await run("check", "--json");
    expect(exit).toBe(3);
    expect(err).toBe("");
    expect(JSON.parse(out)).toMatchObject({
      schema: "modelrig.routes-check/1",
      ok: false,
      faults: [{ code: "route.unknown_key", line: 4, column: 5, suggestion: "model" }, { code: "route.missing_key" }],
    });
  });

  it("names the file of a broken configuration", async () => {
    write("modelrig.yaml", "sims: true\n");
    const { exit, err } = await run("check");
    expect(exit).toBe(3);
    expect(err).toContain("error[config.unknown_key] modelrig.yaml:1:1");
  });

  it("refuses two files of one name", async () => {
    const text = "route: acme.x\ncandidates: [{ provider: sim, model: slow }]\n";
    write("routes/acme.x.yaml", text);
    write("routes/acme.x.yml", text);
    const { exit, err } = await run("check");
    expect(exit).toBe(3);
    expect(err).toContain("route.declared_twice");
  });

  it("does not read a schema through a link that leaves the folder", async () => {
    const { symlinkSync } = await import("node:fs");
    write("secret.json", '{ "type": "object" }');
    symlinkSync(join(folder, "secret.json"), join(folder, "routes/link.json"));
    write(
      "routes/acme.x.yaml",
      "route: acme.x\ncandidates: [{ provider: sim, model: slow }]\noutput: { schema_file: link.json }\n",
    );
    expect((await run("check")).err).toContain("route.schema_file_missing");
  });

  it("says so where a named folder or file is not there", async () => {
    expect(await run("check", "--routes", "nowhere")).toMatchObject({ exit: 2 });
    expect(await run("check", "--config", "nowhere.yaml")).toMatchObject({ exit: 2 });
  });
});

describe("routes list and show", () => {
  it("list and show what compiled", async () => {
    await run("new", "acme.my_task");
    expect((await run("list")).out).toBe(
      "route\tvariants\tladder\tcapture\nacme.my_task\tdefault cheap\tsim/atlas-large > sim/atlas-small\ton\n",
    );
    const shown = await run("show", "acme.my_task", "--variant", "cheap");
    expect(shown.out).toMatch(/^acme\.my_task@cheap {2}[0-9a-f]{12}\n/);
    expect(shown.out).not.toContain("atlas-large");
  });

  it("suggest the nearest name, and name the variants there are", async () => {
    await run("new", "acme.my_task");
    expect(await run("show", "acme.my_tsk")).toMatchObject({
      exit: 2,
      err: expect.stringContaining("did you mean acme.my_task?"),
    });
    const variant = await run("show", "acme.my_task", "--variant", "x");
    expect(variant).toMatchObject({ exit: 2, err: expect.stringContaining("default, cheap") });
  });
});

describe("a code frame", () => {
  it("lets no control character of the file reach the terminal", () => {
    expect(codeFrame("a\u001b[31mb\tc", { line: 1, column: 1, length: 1 })).toEqual(["> 1 | a[31mb c", "    | ^"]);
  });

  it("hides the password of a URL and keeps the mark in place", () => {
    const line = "base_url: https://ada:hunter2@api.example.com/v1";
    expect(codeFrame(line, { line: 1, column: 11, length: 7 })).toEqual([
      "> 1 | base_url: https://ada:*******@api.example.com/v1",
      `    | ${" ".repeat(10)}${"^".repeat(7)}`,
    ]);
  });
});

describe("routes check without a route", () => {
  it("is no success: it exits 1 and says what to do", async () => {
    for (const flags of [[], ["--json"]]) {
      const { exit, out, err } = await run("check", ...flags);
      expect(exit).toBe(1);
      expect(out + err).toContain("there is no route to check");
      expect(out + err).toContain("modelrig routes new");
    }
  });
});
