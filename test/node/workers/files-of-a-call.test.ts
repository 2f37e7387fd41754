import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type LocalDatabase, openLocalDatabase } from "../../../src/cli/dev/local-database.ts";
import { compileAll } from "../../../src/config/compile-all.ts";
import { fakeIo } from "../../support/hosts/fake-io.ts";
import { type MarkedWorker, startMarkedWorker, withMarks } from "../../support/sources/files-of-a-call.ts";
import { listen, type RunningServer } from "../../support/upstreams/http-server.ts";

/** Most files a reader has to open to follow one call. */
const MOST_FILES = 87;

const ANSWER = {
  ...{ id: "chatcmpl-1", object: "chat.completion", created: 1, model: "small" },
  choices: [{ index: 0, finish_reason: "stop", message: { role: "assistant", content: "Hello." } }],
  usage: { prompt_tokens: 3, completion_tokens: 2, total_tokens: 5 },
};

let folder: string;
let upstream: RunningServer;
let database: LocalDatabase;
let worker: MarkedWorker;
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), "modelrig-call-files-"));
  upstream = await listen(async (request, response) => {
    for await (const _ of request);
    response.setHeader("content-type", "application/json");
    response.end(JSON.stringify(ANSWER));
  });
  database = await openLocalDatabase(fakeIo({ cwd: folder }), join(folder, "calls.db"));
  const config = `providers:
  near:
    dialect: openai
    base_url: ${upstream.url}/v1
    api_key_env: NEAR_KEY
    models: { small: { price: { input_per_million: 1, output_per_million: 1 } } }
`;
  const bundle = "route: one.call\ncandidates:\n  - { provider: near, model: small }\n";
  const compiled = await compileAll(
    [{ file: "one.call.yaml", text: bundle }],
    { file: "modelrig.yaml", text: config },
    { at: new Date(), readFile: () => undefined },
  );
  if (!compiled.ok) throw new Error(JSON.stringify(compiled.error));
  worker = await startMarkedWorker({
    ...{ MODELRIG_COMPILED: compiled.value, NEAR_KEY: "k" },
    ...{ TURSO_DATABASE_URL: database.url, TURSO_AUTH_TOKEN: database.token },
  });
});
afterAll(async () => {
  await worker?.close();
  await database?.close();
  await upstream?.close();
  rmSync(folder, { recursive: true, force: true });
});

async function call(): Promise<void> {
  const response = await fetch(new URL("/v1/chat/completions", worker.url), {
    method: "POST",
    headers: { authorization: `Bearer ${database.key}` },
    body: JSON.stringify({ model: "one.call", messages: [{ role: "user", content: "Hello?" }] }),
  });
  expect(await response.json()).toMatchObject({ choices: [{ message: { content: "Hello." } }] });
}

/** Asks until nothing more has run, because a call's record leaves after its answer. */
async function filesOf(act: () => Promise<void>): Promise<readonly string[]> {
  await act();
  const files = new Set<string>();
  for (let more = await worker.ran(); more.length > 0; more = await worker.ran()) {
    for (const file of more) files.add(file);
  }
  return [...files].sort();
}

describe("a chat call", () => {
  it("runs through few files once its isolate is warm", async () => {
    await filesOf(call);
    await filesOf(call);
    const files = await filesOf(call);
    console.log(`one chat call runs through ${files.length} files:\n${files.join("\n")}`);
    expect(files).toContain("workers/calls/chat-call.ts");
    expect(files).toContain("src/wire/openai-chat/response.ts");
    expect(files.length).toBeLessThanOrEqual(MOST_FILES);
  });
});

describe("the mark of a file", () => {
  it.each([
    ["function f() { return 1; }", 'function f() {ran.add("a.ts"); return 1; }'],
    ["const f = () => 1;", 'const f = () => (ran.add("a.ts"), 1);'],
    ["const f = () => ({ a: 1 });", 'const f = () => (ran.add("a.ts"), ({ a: 1 }));'],
    ["const f = () => () => 1;", 'const f = () => (ran.add("a.ts"), () => (ran.add("a.ts"), 1));'],
    ["class A { #b() { return 1; } }", 'class A { #b() {ran.add("a.ts"); return 1; } }'],
    ["const o = { get a() { return 1; } };", 'const o = { get a() {ran.add("a.ts"); return 1; } };'],
    ["const text = 'no function';", "const text = 'no function';"],
  ])("stands in every function of %s", (source, expected) => {
    expect(withMarks(source, "a.ts")).toBe(expected);
  });
});
