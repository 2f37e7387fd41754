import { createOpenAI } from "@ai-sdk/openai";
import { BaseChatModel } from "@langchain/core/language_models/chat_models";
import { AIMessage, AIMessageChunk } from "@langchain/core/messages";
import type { ChatResult } from "@langchain/core/outputs";
import { FakeListChatModel, FakeStreamingChatModel } from "@langchain/core/utils/testing";
import { embed, generateText, streamText, wrapEmbeddingModel, wrapLanguageModel } from "ai";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import type { InferenceRecord } from "../../../src/record/inference-record.ts";
import { aiSdkMiddleware, langchainHandler, type Rig } from "../../../src/sdk/index.ts";
import { bufferedItems, type RigProject, rigProject } from "../../support/hosts/rig.ts";
import {
  completion,
  json,
  type ScriptedUpstream,
  startScriptedUpstream,
  streamed,
} from "../../support/upstreams/scripted-upstream.ts";

let upstream: ScriptedUpstream;
let project: RigProject;
let rig: Rig;
beforeAll(async () => {
  upstream = await startScriptedUpstream();
});
beforeEach(() => {
  project = rigProject({ baseUrl: upstream.baseUrl });
  rig = project.rig();
});
afterEach(async () => await project.end());
afterAll(async () => await upstream.close());

const calls = (): InferenceRecord[] =>
  bufferedItems(project.cwd).flatMap((item) => (item.type === "inference" ? [item.inference] : []));

describe("the AI SDK's middleware", () => {
  const provider = () => createOpenAI({ baseURL: upstream.baseUrl, apiKey: "sk-test" });
  const model = (options = {}) =>
    wrapLanguageModel({
      model: provider().chat("m"),
      middleware: aiSdkMiddleware(rig, { provider: "up", ...options }),
    });

  it("records a call in its run, priced, and gives the caller what came", async () => {
    upstream.script(completion("hi"));
    await rig.artifacts.run.scope({ pipeline: "p" }, async (run) => {
      const { text, usage } = await generateText({ model: model({ stepKey: "s" }), prompt: "hello", maxRetries: 0 });
      expect({ text, input: usage.inputTokens }).toEqual({ text: "hi", input: 11 });
      expect(calls()).toMatchObject([
        {
          ...{ run: run.runId, step: "s", stream: false, costNano: 25_000, failure: null },
          attempts: [{ provider: "up", model: "m", tokens: { input: 11, output: 7 } }],
        },
      ]);
    });
  });

  it("names the provider by the model where it is not told", async () => {
    upstream.script(completion("hi"));
    const named = wrapLanguageModel({ model: provider().chat("gpt-5.4-mini"), middleware: aiSdkMiddleware(rig) });
    await generateText({ model: named, prompt: "hello" });
    expect(calls()[0]?.attempts[0]).toMatchObject({ provider: "openai", model: "gpt-5.4-mini" });
  });

  it("records a stream when it has been read, with prompt and answer where they are kept", async () => {
    upstream.script(streamed([{ content: "a" }, { content: "b" }]));
    const { textStream } = streamText({ model: model({ artifacts: true }), prompt: "hello" });
    let text = "";
    for await (const piece of textStream) text += piece;
    expect(text).toBe("ab");
    expect(calls()).toMatchObject([{ stream: true, failure: null, attempts: [{ tokens: { input: 11, output: 7 } }] }]);
    const saved = bufferedItems(project.cwd).flatMap((item) => (item.type === "artifact" ? [item.artifact] : []));
    expect(saved).toMatchObject([{ type: "prompt" }, { type: "raw_response", content: "ab" }]);
  });

  it("records failures, every try by itself, and throws the library's own error", async () => {
    upstream.script(json(401, { error: { message: "no", code: "invalid_api_key" } }));
    await expect(generateText({ model: model(), prompt: "hello", maxRetries: 0 })).rejects.toMatchObject({
      name: "AI_APICallError",
    });
    expect(calls()).toMatchObject([{ failure: { class: "auth" } }]);
  });

  it("records embeddings", async () => {
    const data = [{ object: "embedding", index: 0, embedding: [0.5] }];
    upstream.script(json(200, { object: "list", model: "m", data, usage: { prompt_tokens: 3, total_tokens: 3 } }));
    const embedding = wrapEmbeddingModel({
      model: provider().embedding("m"),
      middleware: aiSdkMiddleware(rig, { provider: "up" }),
    });
    expect((await embed({ model: embedding, value: "hello" })).embedding).toEqual([0.5]);
    expect(calls()).toMatchObject([{ costNano: 3_000, attempts: [{ tokens: { input: 3, output: 0 } }] }]);
  });

  it("is empty for a rig that records nothing", async () => {
    upstream.script(completion("hi"));
    const silent = aiSdkMiddleware(project.rig({ record: false }));
    const { text } = await generateText({
      model: wrapLanguageModel({ model: provider().chat("m"), middleware: silent }),
      prompt: "hello",
    });
    expect(text).toBe("hi");
    expect(calls()).toEqual([]);
  });
});

/** A chat model that says whose it is, and counts, as those of providers do. */
class UpChatModel extends BaseChatModel {
  override _llmType(): string {
    return "up";
  }

  override getLsParams() {
    return { ls_provider: "up", ls_model_name: "m", ls_model_type: "chat" as const };
  }

  override async _generate(): Promise<ChatResult> {
    const usage_metadata = {
      ...{ input_tokens: 40, output_tokens: 6, total_tokens: 46 },
      input_token_details: { cache_read: 10 },
      output_token_details: { reasoning: 2 },
    };
    const response_metadata = { model_name: "m-1", finish_reason: "stop" };
    const message = Object.assign(new AIMessage({ content: "hi", response_metadata }), { usage_metadata });
    return { generations: [{ text: "hi", message }] };
  }
}

describe("the LangChain handler", () => {
  it("records a call in its run, with what the model counted", async () => {
    const model = new UpChatModel({ callbacks: [langchainHandler(rig)] });
    await rig.artifacts.run.scope({ pipeline: "p" }, async (run) => {
      expect((await model.invoke("hello")).content).toBe("hi");
      expect(calls()).toMatchObject([
        {
          ...{ run: run.runId, failure: null, finish: "stop", costNano: 52_000 },
          attempts: [{ provider: "up", model: "m", tokens: { input: 40, cacheRead: 10, output: 6, reasoning: 2 } }],
        },
      ]);
    });
  });

  it("records a stream once, as a stream", async () => {
    const chunks = ["a", "b"].map((content) => new AIMessageChunk({ content }));
    const model = new FakeStreamingChatModel({ chunks, callbacks: [langchainHandler(rig, { provider: "up" })] });
    let text = "";
    for await (const chunk of await model.stream("hello")) text += String(chunk.content);
    expect(text).toBe("ab");
    expect(calls()).toMatchObject([{ stream: true, failure: null }]);
  });

  it("records a failure, and the caller gets the model's own error", async () => {
    const model = new FakeStreamingChatModel({ thrownErrorString: "no", callbacks: [langchainHandler(rig)] });
    await expect(model.invoke("hello")).rejects.toThrow("no");
    expect(calls()).toMatchObject([{ failure: { class: "network" } }]);
  });

  it("keeps what was asked as messages of a chat, and what was answered, where it is told to", async () => {
    const handler = langchainHandler(rig, { artifacts: true });
    const model = new FakeListChatModel({ responses: ["the answer"], callbacks: [handler] });
    await model.invoke([
      ["system", "be brief"],
      ["human", "hello"],
    ]);
    const saved = bufferedItems(project.cwd).flatMap((item) => (item.type === "artifact" ? [item.artifact] : []));
    expect(saved.map(({ content }) => content)).toEqual([
      JSON.stringify([
        { role: "system", content: "be brief" },
        { role: "user", content: "hello" },
      ]),
      "the answer",
    ]);
  });
});
