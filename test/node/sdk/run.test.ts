import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { RigConfigError, RigError } from "../../../src/sdk/index.ts";
import { NO_RETRY, type RigProject, rigProject, textRoute } from "../../support/hosts/rig.ts";
import {
  completion,
  json,
  type ScriptedUpstream,
  startScriptedUpstream,
  streamed,
} from "../../support/upstreams/scripted-upstream.ts";

let upstream: ScriptedUpstream;
let project: RigProject | undefined;
beforeAll(async () => {
  upstream = await startScriptedUpstream();
});
afterEach(async () => {
  await project?.end();
  project = undefined;
});
afterAll(async () => await upstream.close());

const schema = {
  type: "object",
  properties: { summary: { type: "string" } },
  required: ["summary"],
  additionalProperties: false,
};

function made(routes: Readonly<Record<string, unknown>> = {}, more: { readonly model?: Record<string, unknown> } = {}) {
  project = rigProject({ baseUrl: upstream.baseUrl, routes, ...more });
  return project;
}

describe("rig.run", () => {
  it("renders the route's template, and answers the validated output with what it took", async () => {
    const rig = made({
      "a.json": textRoute({ output: { schema, ladder: ["coached", "syntax_repair"] } }),
    }).rig();
    upstream.script(completion('Sure: {"summary":"short"}'));
    const result = await rig.run<{ summary: string }>("a.json", {
      input: { text: "a long text" },
      tags: { client: "acme" },
      stepKey: "summarize",
    });
    expect(result.output.summary).toBe("short");
    expect(result.meta).toMatchObject({
      route: "a.json",
      variant: "default",
      served: "up/m",
      rung: "syntax_repair",
      attempts: 1,
      conformant: true,
      costUsd: "0.000025000",
      usage: { tokensIn: 11, tokensOut: 7 },
      stepKey: "summarize",
      simulated: false,
    });
    expect(JSON.stringify(upstream.seen.at(-1)?.body["messages"])).toContain("a long text");
  });

  it("rejects with the closed failure class, the attempts and their cost", async () => {
    const rig = made({ "a.text": textRoute({ retry: { ...NO_RETRY, server_error: 1 } }) }).rig();
    upstream.script(json(500, { error: { message: "down" } }));
    const error = await rig.run("a.text", { input: { text: "x" } }).catch((cause: unknown) => cause);
    expect(error).toBeInstanceOf(RigError);
    expect(error).toMatchObject({ name: "RigError", failureClass: "server_error", inferenceId: expect.any(String) });
    expect((error as RigError).attempts).toMatchObject([
      { provider: "up", model: "m", status: 500, failureClass: "server_error" },
      { provider: "up", model: "m", status: 500, failureClass: "server_error" },
    ]);
  });

  it("says what of the input does not fit, and calls nobody", async () => {
    const rig = made({ "a.text": textRoute() }).rig();
    const before = upstream.seen.length;
    await expect(rig.run("a.text", { input: {} })).rejects.toMatchObject({
      failureClass: "bad_request",
      param: "/input",
      inferenceId: null,
    });
    await expect(rig.run("a.txt", { input: { text: "x" } })).rejects.toThrow("did you mean a.text?");
    await expect(rig.run("a.text", { input: { text: "x" }, variant: "cheap" })).rejects.toThrow("has no variant cheap");
    expect(upstream.seen.length).toBe(before);
  });

  it("names the fault where the bundles do not compile", async () => {
    const rig = made({ "a.text": textRoute({ retries: 3 }) }).rig();
    await expect(rig.ready()).rejects.toThrow(/a\.text\.yaml:1:\d+ .*retries/);
    await expect(rig.run("a.text", { input: { text: "x" } })).rejects.toBeInstanceOf(RigConfigError);
  });

  it("runs a bundle that is declared in code by the same rules", async () => {
    const rig = made().rig({ routesDir: null });
    upstream.script(completion("fine"));
    const bundle = { route: "in.code", ...textRoute() } as never;
    await expect(rig.runBundle(bundle, { input: { text: "x" } })).resolves.toMatchObject({
      output: "fine",
      meta: { route: "in.code" },
    });
    const wrong = { route: "in.code", ...textRoute({ candidate: [] }) } as never;
    await expect(rig.runBundle(wrong, { input: { text: "x" } })).rejects.toThrow(/candidate/);
  });
});

describe("a streamed call", () => {
  it("yields the text as it comes, and the whole result at its end", async () => {
    const rig = made({ "a.text": textRoute() }).rig();
    upstream.script(streamed([{ content: "one " }, { content: "two" }]));
    const stream = await rig.run("a.text", { input: { text: "x" }, stream: true });
    const pieces: string[] = [];
    for await (const piece of stream) pieces.push(piece);
    expect(pieces.join("")).toBe("one two");
    const final = await stream.final;
    expect(final).toMatchObject({ output: "one two", text: "one two" });
    expect(final.meta).toMatchObject({ inferenceId: stream.inferenceId, served: "up/m", costUsd: "0.000025000" });
  });

  it("reads itself to the end for who only wants the result", async () => {
    const rig = made({ "a.json": textRoute({ output: { schema, ladder: ["coached"] } }) }).rig();
    upstream.script(streamed([{ content: '{"summary":' }, { content: '"s"}' }]));
    const stream = await rig.run("a.json", { input: { text: "x" }, stream: true });
    await expect(stream.final).resolves.toMatchObject({ output: { summary: "s" }, meta: { conformant: true } });
    const pieces: string[] = [];
    for await (const piece of stream) pieces.push(piece);
    expect(pieces.join("")).toBe('{"summary":"s"}');
  });

  it("rejects before its first content, and throws from the loop after it", async () => {
    const rig = made({ "a.json": textRoute({ output: { schema, ladder: ["coached"] } }) }).rig();
    upstream.script(json(500, { error: { message: "down" } }));
    await expect(rig.run("a.json", { input: { text: "x" }, stream: true })).rejects.toMatchObject({
      failureClass: "server_error",
    });
    upstream.script(streamed([{ content: '{"summary":' }, { content: "1}" }]));
    const stream = await rig.run("a.json", { input: { text: "x" }, stream: true });
    const read = async () => {
      for await (const _ of stream);
    };
    await expect(read()).rejects.toMatchObject({ failureClass: "content_invalid", reason: "schema_violation" });
    await expect(stream.final).rejects.toBeInstanceOf(RigError);
  });

  it("stops the upstream when its reader leaves", async () => {
    const rig = made({ "a.text": textRoute() }).rig();
    let left: (() => void) | undefined;
    const gone = new Promise<void>((resolve) => {
      left = resolve;
    });
    upstream.script((response) => {
      response.on("close", () => left?.());
      response.writeHead(200, { "content-type": "text/event-stream" });
      const choices = [{ index: 0, delta: { content: "first" }, finish_reason: null }];
      response.write(`data: ${JSON.stringify({ id: "c", choices })}\n\n`);
    });
    const stream = await rig.run("a.text", { input: { text: "x" }, stream: true });
    for await (const piece of stream) {
      expect(piece).toBe("first");
      break;
    }
    await gone;
    await expect(stream.final).rejects.toMatchObject({ failureClass: "canceled" });
  });
});

describe("rig.runRaw", () => {
  it("calls one model with messages as given", async () => {
    const rig = made().rig({ routesDir: null });
    upstream.script(completion("hello back"));
    const result = await rig.runRaw({
      provider: "up",
      model: "m",
      messages: [{ role: "user", content: "hello" }],
      maxTokens: 10,
    });
    expect(result).toMatchObject({ output: "hello back", meta: { served: "up/m", rung: "none" } });
    expect(upstream.seen.at(-1)?.body).toMatchObject({ model: "m", messages: [{ role: "user", content: "hello" }] });
  });

  it("refuses a schema that the provider is not known to enforce, before anything is sent", async () => {
    const rig = made().rig({ routesDir: null });
    const before = upstream.seen.length;
    const call = {
      provider: "up",
      model: "m",
      messages: [{ role: "user", content: "x" }],
      responseSchema: schema,
    } as const;
    await expect(rig.runRaw(call)).rejects.toMatchObject({ failureClass: "invariant_violation" });
    await expect(rig.runRawStream(call)).rejects.toMatchObject({ failureClass: "invariant_violation" });
    expect(upstream.seen.length).toBe(before);
  });

  it("sends the schema to a provider that enforces it, and answers the parsed value", async () => {
    const rig = made({}, { model: { capabilities: { native_strict: true } } }).rig({ routesDir: null });
    upstream.script(completion('{"summary":"s"}'));
    const result = await rig.runRaw<{ summary: string }>({
      provider: "up",
      model: "m",
      messages: [{ role: "user", content: "x" }],
      responseSchema: schema,
    });
    expect(result.output).toEqual({ summary: "s" });
    expect(result.meta).toMatchObject({ rung: "native_strict", conformant: true });
  });

  it("streams", async () => {
    const rig = made().rig({ routesDir: null });
    upstream.script(streamed([{ content: "a" }, { content: "b" }]));
    const stream = await rig.runRawStream({ provider: "up", model: "m", messages: [{ role: "user", content: "x" }] });
    let text = "";
    for await (const piece of stream) text += piece;
    expect(text).toBe("ab");
  });
});

describe("a rig without routes", () => {
  it("teaches how to add them", async () => {
    const rig = made().rig({ routesDir: null });
    await expect(rig.run("a.text", { input: {} })).rejects.toThrow(
      /raw-only.*routes\/a\.text\.yaml.*modelrig routes new/,
    );
    expect(project?.warnings).toEqual([]);
  });

  it("says in one line that the default folder is missing, and throws for one that was named", () => {
    const files = made();
    files.rig({ cwd: `${files.cwd}/routes` });
    expect(files.warnings).toEqual([expect.stringMatching(/no folder .*routes.* raw-only/)]);
    expect(() => files.rig({ routesDir: "missing" })).toThrow(RigConfigError);
  });
});
