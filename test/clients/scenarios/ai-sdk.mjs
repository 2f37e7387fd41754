/** The AI SDK over its OpenAI provider, chat and Responses. Options of older and newer versions stand side by side. */
import { createOpenAI } from "@ai-sdk/openai";
import * as ai from "ai";
import { CITY, equal, fails, isCanceled, runScenarios, WEATHER } from "./scenario.mjs";

const openai = createOpenAI({ baseURL: `${process.env.BASE_URL}/v1`, apiKey: process.env.KEY });

function surface(of, providerOptions) {
  const common = { maxRetries: 0, providerOptions };
  return {
    async plain(model) {
      const { text } = await ai.generateText({ model: of(model("text")), prompt: "hi", ...common });
      equal(text, "Grüße aus Oslo 🙂");
    },
    async stream(model) {
      let text = "";
      for await (const piece of ai.streamText({ model: of(model("text")), prompt: "hi", ...common }).textStream)
        text += piece;
      equal(text, "Grüße aus Oslo 🙂");
    },
    async "three steps of tools"(model) {
      const places = [];
      const schema = ai.jsonSchema(WEATHER);
      const execute = async ({ place }) => {
        places.push(place);
        return "mild";
      };
      const tools = { weather: { parameters: schema, inputSchema: schema, execute } };
      const loop = { maxSteps: 4, ...(ai.stepCountIs && { stopWhen: ai.stepCountIs(4) }) };
      const { text } = await ai.generateText({
        model: of(model("steps")),
        prompt: "compare",
        tools,
        ...loop,
        ...common,
      });
      equal([places, text], [["Oslo", "Rome"], "Both are mild."]);
    },
    async structured(model) {
      const schema = ai.jsonSchema(CITY);
      const { object } = await ai.generateObject({ model: of(model("json")), prompt: "Oslo?", schema, ...common });
      equal(object, { city: "Oslo", population: 717710 });
    },
    async cut(model) {
      const asked = { model: of(model("cut")), prompt: "hi", ...common };
      await fails(() => ai.generateText(asked));
      await fails(async () => {
        for await (const part of ai.streamText({ ...asked, onError() {} }).fullStream)
          if (part.type === "error") throw part.error;
      });
    },
    async cancel(model) {
      await isCanceled(async () => {
        const aborter = new AbortController();
        const asked = { model: of(model("stall")), prompt: "hi", ...common, abortSignal: aborter.signal };
        for await (const part of ai.streamText({ ...asked, onError() {} }).fullStream) {
          if (part.type !== "text-delta") continue;
          aborter.abort();
          break;
        }
      });
    },
  };
}

await runScenarios({
  chat: surface((model) => openai.chat(model)),
  // Newer versions refer to the items of earlier steps by their ids.
  responses: surface((model) => openai.responses(model)),
  "responses with store: false": surface((model) => openai.responses(model), { openai: { store: false } }),
});
