/** Shell fences of the README and the docs: each can be pasted whole, and names commands and flags that exist. */
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import { main } from "../../../src/cli/main.ts";
import { fakeIo } from "../../support/hosts/fake-io.ts";
import { commandsOf, fencesOf } from "../../support/sources/fences.ts";

const root = fileURLToPath(new URL("../../..", import.meta.url));
const files = ["README.md", "CONTRIBUTING.md", ...readdirSync(join(root, "docs")).map((name) => `docs/${name}`)];
const fences = files
  .filter((file) => file.endsWith(".md"))
  .flatMap((file) => fencesOf(readFileSync(join(root, file), "utf8")).map((fence) => ({ file, ...fence })));
const shell = fences.filter(({ language }) => ["sh", "bash", "shell"].includes(language));

/** Commands that go on until Ctrl-C. */
const BLOCKING = /\b(npm start|modelrig (dev|capture|db serve|mcp)\b|--follow|--serve)(?!.*--help)/;
const HIDING = /\|\| *true|2> *\/dev\/null|-o \/dev\/null|> *\/dev\/null|set \+e/;

describe("every shell fence of the docs", () => {
  it.each(shell.map((fence) => [`${fence.file}:${fence.line}`, fence] as const))(
    "%s hides no failure, and nothing stands after a command that blocks",
    (_where, fence) => {
      const commands = commandsOf(fence);
      for (const command of commands) expect(command).not.toMatch(HIDING);
      for (const command of commands.slice(0, -1)) expect(command).not.toMatch(BLOCKING);
    },
  );

  it("names only commands and flags that there are", async () => {
    const wrong: string[] = [];
    // Plain fences list commands too, as their pages' synopsis.
    const listed = fences.filter(({ language }) => language === "").map((fence) => ({ ...fence, synopsis: true }));
    for (const { file, line, text } of [...shell, ...listed]) {
      for (const command of commandsOf({ language: "sh", text, line })) {
        const start = /^(?:npx )?modelrig ([a-z][a-z-]*(?: [a-z][a-z-]*)?)/.exec(command.replace(/^next: +/, ""));
        if (!start) continue;
        const help = await helpOf((start[1] ?? "").split(" "));
        if (help === undefined) wrong.push(`${file}:${line} ${start[0]}`);
        const [own = ""] = command.split(" | ");
        for (const [flag] of own.split(/ {3,}/)[0]?.matchAll(/--[a-z][a-z-]+/g) ?? [])
          if (help && !help.includes(flag) && flag !== "--help") wrong.push(`${file}:${line} ${start[0]} ${flag}`);
      }
    }
    expect(wrong).toEqual([]);
  });
});

/** The help of a command with its subcommand, or of the command alone where the second word is an argument. */
async function helpOf(words: readonly string[]): Promise<string | undefined> {
  for (const args of [words, words.slice(0, 1)]) {
    const io = fakeIo();
    if ((await main([...args, "--help"], io)) === 0 && io.out().includes(`modelrig ${args.join(" ")}`)) return io.out();
  }
  return undefined;
}
