import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { applyPatch, parsePatch } from "diff";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { main } from "../../../src/cli/main.ts";
import { parseFile } from "../../../src/observe/syntax.ts";
import { fakeIo } from "../../support/hosts/fake-io.ts";

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "observe-"));
  write("package.json", '{ "type": "module" }');
});
afterEach(() => rmSync(folder, { recursive: true }));

function write(name: string, text: string): void {
  mkdirSync(dirname(join(folder, name)), { recursive: true });
  writeFileSync(join(folder, name), text);
}
const read = (name: string): string => readFileSync(join(folder, name), "utf8");

async function observe(...argv: string[]) {
  const io = fakeIo({ cwd: folder });
  const exit = await main(["observe", ...argv], io);
  return { exit, out: io.out(), err: io.err() };
}

interface Client {
  readonly client: string;
  readonly watcher: string;
  readonly placed: boolean;
  readonly why?: string;
}

async function clientsOf(source: string): Promise<readonly Client[]> {
  write("p.ts", source);
  const { out } = await observe("--scope", "p", "--json", "--dry-run");
  return (JSON.parse(out) as { clients: Client[] }).clients;
}

/** The file as the diff of OBSERVE.md leaves it; it must still parse. */
async function patched(source: string, name = "p.ts"): Promise<string> {
  write(name, source);
  expect(await observe("--scope", "p", "--force")).toMatchObject({ exit: 0 });
  const guide = read("OBSERVE.md");
  const start = guide.indexOf(`--- a/${name}`);
  const diff = guide.slice(start, guide.indexOf("\n```", start) + 1);
  const [patch] = parsePatch(diff);
  const text = patch ? applyPatch(source, patch) : false;
  if (text === false || start === -1) throw new Error(`the diff does not apply:\n${diff}`);
  parseFile(name, text);
  return text;
}

const OPTIONS = '{ tags: { pipeline: "p" }, artifacts: true }';
const OPENAI = 'import OpenAI from "openai";\nexport const client = new OpenAI({ maxRetries: 0 });\n';

describe("the line that is put in", () => {
  it("wraps an OpenAI client where it is made, and imports what it uses after the other imports", async () => {
    expect(await patched(OPENAI)).toBe(
      [
        'import OpenAI from "openai";',
        'import { observerRig, wrapOpenAI } from "modelrig-sdk";',
        `export const client = wrapOpenAI(new OpenAI({ maxRetries: 0 }), observerRig(), ${OPTIONS});`,
        "",
      ].join("\n"),
    );
  });

  it.each([
    [
      "a named import",
      'import { AzureOpenAI as A } from "openai";\nconst c = new A();',
      `wrapOpenAI(new A(), observerRig(), ${OPTIONS})`,
    ],
    [
      "a namespace",
      'import * as openai from "openai";\nconst c = new openai.OpenAI();',
      "wrapOpenAI(new openai.OpenAI(), ",
    ],
    [
      "a member of a class",
      'import A from "@anthropic-ai/sdk";\nclass X { c = new A(); }',
      "c = wrapAnthropic(new A(), ",
    ],
    [
      "a client of Gemini",
      'import { GoogleGenAI } from "@google/genai";\nconst c = new GoogleGenAI({});',
      "wrapGemini(new GoogleGenAI({}), ",
    ],
    [
      "a model of the AI SDK",
      'import { openai } from "@ai-sdk/openai";\nconst m = openai("gpt-5.4-mini");',
      `wrapLanguageModel({ model: openai("gpt-5.4-mini"), middleware: aiSdkMiddleware(observerRig(), ${OPTIONS}) })`,
    ],
    [
      "a model of a provider made here",
      'import { createGroq } from "@ai-sdk/groq";\nconst groq = createGroq({});\nconst m = groq.chat("m");',
      'wrapLanguageModel({ model: groq.chat("m"), ',
    ],
    [
      "an embedding model",
      'import { openai } from "@ai-sdk/openai";\nconst m = openai.embeddingModel("e");',
      'wrapEmbeddingModel({ model: openai.embeddingModel("e"), ',
    ],
    [
      "a chat model of LangChain",
      'import { ChatOpenAI } from "@langchain/openai";\nconst m = new ChatOpenAI({ model: "m" });',
      `new ChatOpenAI({ callbacks: [langchainHandler(observerRig(), ${OPTIONS})], model: "m" })`,
    ],
    [
      "one without fields",
      'import { ChatOpenAI } from "@langchain/openai";\nconst m = new ChatOpenAI();',
      "new ChatOpenAI({ callbacks: [langchainHandler(observerRig(), ",
    ],
  ])("knows %s", async (_, source, expected) => {
    expect(await patched(source)).toContain(expected);
  });

  it("imports the AI SDK's own function once, and uses a name that is there", async () => {
    const source =
      'import { wrapLanguageModel as wrap } from "ai";\nimport { openai } from "@ai-sdk/openai";\nconst m = openai("m");';
    const text = await patched(source);
    expect(text).toContain('= wrap({ model: openai("m"), ');
    expect(text.match(/from "ai"/g)).toHaveLength(1);
    expect(await patched(source.slice(source.indexOf("\n") + 1))).toContain('import { wrapLanguageModel } from "ai";');
  });

  it("takes no name that the file uses", async () => {
    const text = await patched(`${OPENAI}export const wrapOpenAI = 1;\n`);
    expect(text).toContain('import { observerRig, wrapOpenAI as wrapOpenAI2 } from "modelrig-sdk"');
    expect(text).toContain("= wrapOpenAI2(new OpenAI");
  });

  it("keeps line endings, quotes, the lack of semicolons, and require", async () => {
    const source = "const OpenAI = require('openai')\r\nconst client = new OpenAI()\r\nmodule.exports = { client }\r\n";
    expect(await patched(source, "p.cjs")).toBe(
      [
        "const OpenAI = require('openai')",
        "const { observerRig, wrapOpenAI } = require('modelrig-sdk')",
        "const client = wrapOpenAI(new OpenAI(), observerRig(), { tags: { pipeline: 'p' }, artifacts: true })",
        "module.exports = { client }",
        "",
      ].join("\r\n"),
    );
  });

  it("is not put in twice", async () => {
    for (const source of [
      OPENAI,
      'import { openai } from "@ai-sdk/openai";\nconst m = openai("m");',
      'import { ChatOpenAI } from "@langchain/openai";\nconst m = new ChatOpenAI();',
    ]) {
      write("p.ts", await patched(source));
      expect((await observe("--scope", "p", "--force")).exit).toBe(3);
    }
  });
});

describe("what is passed by, or left to the user", () => {
  it.each([
    ["another package's class of the same name", 'import OpenAI from "./mine.ts";\nconst c = new OpenAI();'],
    ["a type", 'import type OpenAI from "openai";\nexport function f(c: OpenAI) {}'],
    ["a prompt template", 'import { ChatPromptTemplate } from "@langchain/core/prompts";\nnew ChatPromptTemplate({});'],
    ["a model of images", 'import { openai } from "@ai-sdk/openai";\nconst m = openai.image("i");'],
    ["code in a comment or a string", '// new OpenAI()\nexport const s = "new OpenAI()";'],
  ])("passes by %s", async (_, source) => {
    write("p.ts", source);
    expect(await observe("--scope", "p")).toMatchObject({ exit: 3 });
    expect(readdirSync(folder).toSorted()).toEqual(["p.ts", "package.json"]);
  });

  it.each([
    [
      "fields that are made elsewhere",
      'import { ChatOpenAI } from "@langchain/openai";\nnew ChatOpenAI(fields);',
      /made elsewhere/,
    ],
    [
      "callbacks of its own",
      'import { ChatOpenAI } from "@langchain/openai";\nnew ChatOpenAI({ callbacks: [] });',
      /callbacks of its own/,
    ],
    ["Bedrock", 'import A from "@anthropic-ai/bedrock-sdk";\nnew A();', /Bedrock/],
  ])("leaves %s to the user, and says why", async (_, source, why) => {
    const [client] = await clientsOf(source);
    expect(client).toMatchObject({ placed: false });
    expect(client?.why).toMatch(why);
    expect((await observe("--scope", "p")).exit).toBe(0);
    expect(read("p.ts")).toBe(source);
    expect(read("OBSERVE.md")).toMatch(/## By hand\n\n- `p\.ts:2`/);
  });

  it("goes on past a file that cannot be parsed, and says so", async () => {
    write("broken.ts", "export const = 1;");
    expect(await clientsOf(OPENAI)).toHaveLength(1);
    expect((await observe("--scope", "p")).exit).toBe(0);
    expect(read("OBSERVE.md")).toMatch(/`broken\.ts` could not be read/);
  });
});

describe("what is written", () => {
  beforeEach(() => write("src/p.ts", OPENAI));

  it("is OBSERVE.md alone, and is refused where it is there already, unless forced", async () => {
    expect(await observe("--scope", "p")).toMatchObject({ exit: 0 });
    expect(readdirSync(folder).toSorted()).toEqual(["OBSERVE.md", "package.json", "src"]);
    expect(read("src/p.ts")).toBe(OPENAI);
    writeFileSync(join(folder, "OBSERVE.md"), "mine");
    const again = await observe("src", "--scope", "p");
    expect(again).toMatchObject({ exit: 2 });
    expect(again.err).toMatch(/OBSERVE\.md exists already[\s\S]*--force/);
    expect(read("OBSERVE.md")).toBe("mine");
    expect(await observe("--scope", "p", "--force")).toMatchObject({ exit: 0 });
    expect(read("OBSERVE.md")).not.toBe("mine");
  });

  it("is only printed in a dry run", async () => {
    const { exit, out } = await observe("src/p.ts", "--scope", "p", "--dry-run");
    expect(exit).toBe(0);
    expect(out).toMatch(/\+\+\+ b\/src\/p\.ts/);
    expect(readdirSync(folder).toSorted()).toEqual(["package.json", "src"]);
  });

  it.each([
    [["--scope", "a b"], "observe.scope"],
    [["nowhere", "--scope", "p"], "observe.path"],
    [[], "cli.usage"],
  ])("is nothing for %j", async (argv, code) => {
    const { exit, err } = await observe(...argv);
    expect(exit).toBe(2);
    expect(err).toContain(code);
  });
});
