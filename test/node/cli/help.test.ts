import { spawnSync } from "node:child_process";
import { closeSync, openSync } from "node:fs";
import { fileURLToPath } from "node:url";
import type { Command } from "commander";
import { describe, expect, test } from "vitest";
import { EXIT } from "../../../src/cli/command.ts";
import { COMMANDS } from "../../../src/cli/commands.ts";
import { examplesOf } from "../../../src/cli/examples.ts";
import { main } from "../../../src/cli/main.ts";
import { buildProgram, commandPath } from "../../../src/cli/program.ts";
import { fakeIo } from "../../support/hosts/fake-io.ts";

const LAUNCHER = fileURLToPath(new URL("../../../bin/modelrig.js", import.meta.url));
const NO_FLAGS = { debug: false, noInput: false, json: false, color: undefined };

async function runs(...argv: string[]): Promise<{ exit: number; out: string; err: string }> {
  const io = fakeIo();
  return { exit: await main(argv, io), out: io.out(), err: io.err() };
}

/** A command with everything nested in it, as loaded when it is asked for. */
async function loaded(name: string): Promise<readonly Command[]> {
  const { root } = await buildProgram([name], fakeIo(), () => async () => undefined, NO_FLAGS);
  const withNested = (command: Command): Command[] => [command, ...command.commands.flatMap(withNested)];
  return withNested(root).filter((command) => `${commandPath(command)} `.startsWith(`modelrig ${name} `));
}

/** The words of an example up to a pipe or redirection, as a shell splits them. */
function words(example: string): readonly string[] {
  const split = [...example.matchAll(/"([^"]*)"|(\S+)/g)].map(([, quoted, plain]) => quoted ?? plain ?? "");
  const end = split.findIndex((word) => ["|", "<", ">"].includes(word));
  return end === -1 ? split : split.slice(0, end);
}

describe("help", () => {
  test.each([...COMMANDS.map(({ name }) => name), "help", "completion"])(
    "of %s and of each command in it begins with examples that it accepts",
    async (name) => {
      for (const command of await loaded(name)) {
        const path = commandPath(command);
        const examples = examplesOf(path);
        expect(examples, path).not.toEqual([]);
        for (const example of examples) {
          const [typed, rest] = [words(example).slice(0, path.split(" ").length), words(example)];
          expect(typed.join(" ")).toBe(path);
          const nested = command.commands.find((one) => one.name() === rest[typed.length]);
          const taker = nested ?? command;
          const { operands, unknown } = taker.parseOptions(rest.slice(typed.length + (nested ? 1 : 0)));
          expect(unknown, example).toEqual([]);
          const required = taker.registeredArguments.filter((argument) => argument.required).length;
          expect(operands.length, example).toBeGreaterThanOrEqual(required);
        }
      }
    },
  );

  test("finds a command inside another", async () => {
    const { exit, out } = await runs("help", "routes", "check");
    expect(exit).toBe(EXIT.done);
    expect(out).toContain("Usage: modelrig routes check");
  });

  test.each([
    [["help", "nosuch"], 'modelrig has no command "nosuch"', "modelrig --help"],
    [["help", "routes", "nosuch"], 'modelrig routes has no command "nosuch"', "modelrig routes --help"],
    [["captures", "delete", "--frob"], "unknown option '--frob'", "modelrig captures delete --help"],
    [["captures", "chow"], "did you mean show?", "modelrig captures --help"],
    [["captures", "show"], "missing required argument", "modelrig captures show --help"],
    [["completion", "cmd"], 'no completion for "cmd"', "one of: bash, zsh, fish"],
    [["whoami", "--color"], "--color takes never", "modelrig"],
  ])("exits 2 for %j and names the help that has the answer", async (argv, message, fix) => {
    const { exit, out, err } = await runs(...argv);
    expect(exit).toBe(EXIT.usage);
    expect(err).toContain(message);
    expect(err).toContain(`fix: ${fix}`);
    expect(out).toBe("");
  });
});

describe("completion", () => {
  test.each([
    [[], ["bakeoff", "completion", "--no-color"]],
    [["captures"], ["list", "show"]],
    [["help", "routes"], ["check"]],
    [["routes", "show", "a.b"], ["--variant"]],
  ])("of %j offers what may follow", async (before, offered) => {
    const { exit, out } = await runs("complete", "--", ...before);
    expect(exit).toBe(EXIT.done);
    expect(out.split("\n")).toEqual(expect.arrayContaining(offered));
  });

  test("completes in a real bash", async () => {
    const { out } = await runs("completion", "bash");
    const script = `modelrig() { "${process.execPath}" "${LAUNCHER}" "$@"; }
${out}
COMP_WORDS=(modelrig routes ch); COMP_CWORD=2; _modelrig; echo "\${COMPREPLY[*]}"`;
    expect(spawnSync("bash", ["-c", script], { encoding: "utf8" }).stdout.trim()).toBe("check");
  });
});

describe.skipIf(process.platform !== "linux")("an output that cannot be written", () => {
  test("is said on stderr and exits 1 where the disk is full", () => {
    const full = openSync("/dev/full", "w");
    const { status, stderr } = spawnSync(process.execPath, [LAUNCHER, "--help"], {
      stdio: ["ignore", full, "pipe"],
      encoding: "utf8",
    });
    closeSync(full);
    expect(stderr).toContain("error[cli.output] stdout cannot be written: ENOSPC");
    expect(status).toBe(EXIT.unexpected);
  });

  test.each(["2>&-", "2>/dev/full"])("does not change the exit code where it is stderr (%s)", (redirection) => {
    const line = `"${process.execPath}" "${LAUNCHER}" nosuch ${redirection}`;
    expect(spawnSync("bash", ["-c", line]).status).toBe(EXIT.usage);
  });
});

test("--no-color is the same as --color never", async () => {
  const coloured = (...flags: string[]): string =>
    spawnSync(process.execPath, [LAUNCHER, "nosuch", ...flags], { encoding: "utf8" }).stderr;
  expect(coloured("--color", "always")).toContain("\u001b[");
  expect(coloured("--no-color")).not.toContain("\u001b[");
});
