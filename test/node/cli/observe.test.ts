import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { applyPatch, parsePatch } from "diff";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { main } from "../../../src/cli/main.ts";
import { parseFile } from "../../../src/cli/observe/syntax.ts";
import { fakeIo } from "../../support/fake-io.ts";

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

interface Call {
  readonly step: string;
  readonly client: string;
  readonly method: string;
  readonly provider: string | null;
  readonly placed: boolean;
  readonly why?: string;
  readonly notes: readonly string[];
}

async function callsOf(source: string, name = "p.ts"): Promise<readonly Call[]> {
  write(name, source);
  const { out } = await observe("--scope", "p", "--json", "--dry-run");
  return (JSON.parse(out) as { calls: Call[] }).calls;
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

const OPENAI = 'import OpenAI from "openai";\nconst client = new OpenAI();\n';
const CREATE = 'client.chat.completions.create({ model: "m", messages })';
const inFunction = (body: string): string => `${OPENAI}export async function ask(messages: []) {\n  ${body}\n}\n`;

describe("finding the calls", () => {
  it.each([
    ["openai", `${OPENAI}export const f = async (messages: []) => { await ${CREATE}; };`],
    [
      "openai",
      'import { OpenAI } from "openai";\nexport async function f(ai: OpenAI) { await ai.responses.create({ input: "x" }); }',
    ],
    [
      "azure",
      'import { AzureOpenAI } from "openai";\nconst c = new AzureOpenAI();\nexport const f = async () => { await c.embeddings.create({ input: "x" }); };',
    ],
    [
      "deepseek",
      'import OpenAI from "openai";\nconst c = new OpenAI({ baseURL: "https://api.deepseek.com" });\nexport const f = async () => { await c.chat.completions.create({ messages: [] }); };',
    ],
    [
      null,
      'import OpenAI from "openai";\nconst c = new OpenAI({ baseURL: process.env["URL"] });\nexport const f = async () => { await c.chat.completions.create({ messages: [] }); };',
    ],
    [
      "anthropic",
      'import Anthropic from "@anthropic-ai/sdk";\nclass A { c = new Anthropic(); async f() { await this.c.messages.create({ messages: [] }); } }',
    ],
    [
      "gemini",
      'import { GoogleGenAI } from "@google/genai";\nconst ai = new GoogleGenAI({});\nexport const f = async () => { await ai.models.generateContent({ contents: "x" }); };',
    ],
    [
      "groq",
      'import { generateText as g } from "ai";\nimport { groq } from "@ai-sdk/groq";\nexport const f = async () => { await g({ model: groq("m"), prompt: "x" }); };',
    ],
    [
      "openai",
      'import * as ai from "ai";\nexport const f = async () => { await ai.embed({ model: "openai/e", value: "x" }); };',
    ],
    [
      "mistral",
      'import { ChatMistralAI } from "@langchain/mistralai";\nconst build = () => new ChatMistralAI({}).bindTools([]);\nexport const f = async () => { await build().invoke("x"); };',
    ],
  ])("names the provider: %s", async (provider, source) => {
    expect(await callsOf(source)).toMatchObject([{ provider, placed: true }]);
  });

  it.each([
    [
      "another package's method of the same name",
      'import twilio from "twilio";\nconst c = twilio();\nexport const f = async () => { await c.messages.create({ body: "x" }); };',
    ],
    [
      "a prompt template",
      'import { ChatPromptTemplate } from "@langchain/core/prompts";\nconst p = ChatPromptTemplate.fromTemplate("x");\nexport const f = async () => { await p.invoke({}); };',
    ],
    [
      "a function of one's own",
      "const generateText = async (x: object) => x;\nexport const f = async () => { await generateText({}); };",
    ],
    [
      "code in a comment or a string",
      '// await client.chat.completions.create({})\nexport const s = "client.chat.completions.create({})";',
    ],
  ])("passes by %s", async (_, source) => {
    write("p.ts", source);
    expect(await observe("--scope", "p")).toMatchObject({ exit: 3 });
    expect(readdirSync(folder).toSorted()).toEqual(["p.ts", "package.json"]);
  });

  it("names steps for the functions around the calls, and numbers those of one function", async () => {
    const calls = await callsOf(inFunction(`await ${CREATE};\n  await ${CREATE};`));
    expect(calls.map(({ step }) => step)).toEqual(["ask", "ask_2"]);
  });

  it("goes on past a file that cannot be parsed, and says so", async () => {
    write("broken.ts", "export const = 1;");
    expect(await callsOf(inFunction(`await ${CREATE};`))).toHaveLength(1);
    expect((await observe("--scope", "p")).exit).toBe(0);
    expect(read("OBSERVE.md")).toMatch(/`broken\.ts` could not be read/);
  });
});

describe("placing the record", () => {
  const oneLine = (text: string): string => text.replaceAll(/\s+/g, " ");

  it.each([
    ["a statement alone", `await ${CREATE};`, /const completion = await client.*; recordStep\(/],
    ["a declaration", `const c = await ${CREATE};`, /const c = await .*fromChatCompletion\(c, "openai"\)/],
    [
      "a pattern",
      `const { choices } = await ${CREATE};\n  return choices;`,
      /const completion = await .* const \{ choices \} = completion; return choices/,
    ],
    ["a returned answer", `return await ${CREATE};`, /const completion = await .*return completion; /],
    ["a returned promise", `return ${CREATE};`, /const completion = await .*return completion; /],
    ["the branch of an if", `if (messages) return await ${CREATE};`, /if \(messages\) \{ .* return completion; \}/],
    [
      "a part of an expression",
      `return JSON.parse((await ${CREATE}).choices[0].message.content);`,
      /const completion = await .*return JSON\.parse\(completion\.choices/,
    ],
    ["a callback", `return retry(() => ${CREATE});`, /retry\(async \(\) => \{ .*return completion; \}\)/],
    [
      "a loop over a stream",
      `for await (const part of await client.chat.completions.create({ stream: true, messages })) console.log(part);`,
      /const seen = collectChat\("openai"\).*\{ seen\.add\(part\); console\.log\(part\); \}/,
    ],
  ])("around %s", async (_, body, expected) => {
    expect(oneLine(await patched(inFunction(body)))).toMatch(expected);
  });

  it.each([
    ["a condition", `return messages && (await ${CREATE});`, /depends on a condition/],
    ["something evaluated first", `return first() + (await ${CREATE});`, /evaluates something else before it/],
    [
      "a sum that is read before the call",
      `let n = 0;\n  n += (await ${CREATE}).usage.total_tokens;`,
      /reads its target before the call/,
    ],
    ["promises awaited together", `await Promise.all([${CREATE}, ${CREATE}]);`, /awaited together/],
    ["a promise with methods", `await ${CREATE}.withResponse();`, /used by a method/],
    ["a promise returned from a try", `try { return ${CREATE}; } catch { return; }`, /returned as it is/],
    [
      "a stream that is handed on",
      `return await client.chat.completions.create({ stream: true, messages });`,
      /read elsewhere/,
    ],
  ])("is left to the user at %s, with the lines to paste", async (_, body, why) => {
    const source = inFunction(body);
    const [call] = await callsOf(source);
    expect(call).toMatchObject({ placed: false });
    expect(call?.why).toMatch(why);
    expect((await observe("--scope", "p")).exit).toBe(0);
    expect(read("p.ts")).toBe(source);
    expect(read("OBSERVE.md")).toMatch(/## By hand[\s\S]*recordStep\("ask"/);
  });

  it("computes a prompt once, before the call, where it is needed twice", async () => {
    const text = await patched(
      inFunction('await client.chat.completions.create({ messages: [{ role: "user", content: render(messages) }] });'),
    );
    expect(text.match(/render\(/g)).toHaveLength(1);
    expect(text).toMatch(/const prompt = render\(messages\);/);
  });

  it("keeps no prompt where computing it early could change what happens", async () => {
    const body =
      'await client.chat.completions.create({ model: next(), messages: [{ role: "user", content: render() }] });';
    const text = await patched(inFunction(body));
    expect(text).toContain('model: next(), messages: [{ role: "user", content: render() }]');
    expect(text).toMatch(/prompt: not kept/);
  });

  it("takes no name that the file uses", async () => {
    const text = await patched(
      inFunction(`const started = 1, completion = 2;\n  await ${CREATE};\n  return started + completion;`),
    );
    expect(text).toMatch(/const started2 = Date\.now\(\)/);
    expect(text).toMatch(/const completion2 = await/);
  });

  it("says that a stream without its usage has no cost", async () => {
    const body =
      "const s = await client.chat.completions.create({ stream: true, messages });\n  for await (const part of s) use(part);";
    expect(await callsOf(inFunction(body))).toMatchObject([
      { placed: true, notes: [expect.stringMatching(/include_usage/)] },
    ]);
  });

  it("keeps line endings, quotes and the lack of semicolons", async () => {
    const source = inFunction(`return await ${CREATE}`)
      .replaceAll(";", "")
      .replaceAll('"', "'")
      .replaceAll("\n", "\r\n");
    const text = await patched(source);
    expect(text.replaceAll("\r\n", "")).not.toContain("\n");
    expect(text).toMatch(/from '\.\/record-step\.js'\r\n/);
    expect(text).not.toMatch(/;\r\n/);
  });
});

describe("what is written", () => {
  beforeEach(() => write("src/p.ts", inFunction(`return await ${CREATE};`)));

  it("is refused where it is there already, unless forced", async () => {
    expect(await observe("--scope", "p")).toMatchObject({ exit: 0 });
    writeFileSync(join(folder, "src/record-step.ts"), "mine");
    const again = await observe("src", "--scope", "p");
    expect(again).toMatchObject({ exit: 2 });
    expect(again.err).toMatch(/src\/record-step\.ts and OBSERVE\.md exist already[\s\S]*--force/);
    expect(read("src/record-step.ts")).toBe("mine");
    expect(await observe("--scope", "p", "--force")).toMatchObject({ exit: 0 });
    expect(read("src/record-step.ts")).not.toBe("mine");
  });

  it("is only printed in a dry run", async () => {
    const { exit, out } = await observe("src/p.ts", "--scope", "p", "--dry-run");
    expect(exit).toBe(0);
    expect(out).toMatch(/src\/record-step\.ts:[\s\S]*routesDir: null[\s\S]*OBSERVE\.md:[\s\S]*\+\+\+ b\/src\/p\.ts/);
    expect(readdirSync(join(folder, "src"))).toEqual(["p.ts"]);
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
