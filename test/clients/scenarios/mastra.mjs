/** A Mastra agent on the AI SDK's OpenAI provider, chat and Responses. */
import { createOpenAI } from "@ai-sdk/openai";
import { Agent } from "@mastra/core/agent";
import { createTool } from "@mastra/core/tools";
import { z } from "zod";
import { equal, fails, isCanceled, runScenarios } from "./scenario.mjs";

const openai = createOpenAI({ baseURL: `${process.env.BASE_URL}/v1`, apiKey: process.env.KEY });

function surface(of, providerOptions) {
  const agent = (model, tools = {}) =>
    new Agent({ id: "asker", name: "asker", instructions: "Answer.", model: of(model), tools, maxRetries: 0 });
  const options = { providerOptions, modelSettings: { maxRetries: 0 } };
  return {
    async plain(model) {
      equal((await agent(model("text")).generate("hi", options)).text, "Grüße aus Oslo 🙂");
    },
    async stream(model) {
      let text = "";
      for await (const piece of (await agent(model("text")).stream("hi", options)).textStream) text += piece;
      equal(text, "Grüße aus Oslo 🙂");
    },
    async "three steps of tools"(model) {
      const places = [];
      const weather = createTool({
        id: "weather",
        description: "The weather of a place.",
        inputSchema: z.object({ place: z.string() }),
        execute: async ({ place, context }) => {
          places.push(place ?? context.place);
          return { weather: "mild" };
        },
      });
      const { text } = await agent(model("steps"), { weather }).generate("compare", { ...options, maxSteps: 4 });
      equal([places, text], [["Oslo", "Rome"], "Both are mild."]);
    },
    async structured(model) {
      const schema = z.object({ city: z.string(), population: z.number() });
      const { object } = await agent(model("json")).generate("Oslo?", { ...options, structuredOutput: { schema } });
      equal(object, { city: "Oslo", population: 717710 });
    },
    async cut(model) {
      await fails(async () => {
        const output = await agent(model("cut")).generate("hi", options);
        if (output.error) throw output.error;
        return output.text;
      });
      await fails(async () => {
        const output = await agent(model("cut")).stream("hi", options);
        for await (const chunk of output.fullStream) if (chunk.type === "error") throw chunk.payload.error;
        return output.text;
      });
    },
    async cancel(model) {
      await isCanceled(async () => {
        const aborter = new AbortController();
        const output = await agent(model("stall")).stream("hi", { ...options, abortSignal: aborter.signal });
        for await (const chunk of output.fullStream) {
          if (chunk.type !== "text-delta") continue;
          aborter.abort();
          break;
        }
      });
    },
  };
}

await runScenarios({
  chat: surface((model) => openai.chat(model)),
  "responses with store: false": surface((model) => openai.responses(model), { openai: { store: false } }),
});
