/** LlamaIndex's OpenAI model, over chat and over Responses, and its agent. */
import { OpenAI, openaiResponses } from "@llamaindex/openai";
import { agent } from "@llamaindex/workflow";
import { tool } from "llamaindex";
import { equal, fails, isCanceled, runScenarios, WEATHER } from "./scenario.mjs";

const ask = [{ role: "user", content: "hi" }];
const options = { apiKey: process.env.KEY, baseURL: `${process.env.BASE_URL}/v1`, maxRetries: 0 };

/** The client repeats the last piece of a Responses stream for every event behind it, whoever serves it. */
function surface(of, repeats = false) {
  const told = (text, whole) => equal(repeats ? text.slice(0, whole.length) : text, whole);
  return {
    async plain(model) {
      equal((await of(model("text")).chat({ messages: ask })).message.content, "Grüße aus Oslo 🙂");
    },
    async stream(model) {
      let text = "";
      for await (const { delta } of await of(model("text")).chat({ messages: ask, stream: true })) text += delta;
      told(text, "Grüße aus Oslo 🙂");
    },
    async "three steps of tools"(model) {
      const places = [];
      const weather = tool({
        name: "weather",
        description: "The weather of a place.",
        parameters: WEATHER,
        execute: ({ place }) => {
          places.push(place);
          return "mild";
        },
      });
      const { data } = await agent({ llm: of(model("steps")), tools: [weather] }).run("compare");
      equal(places, ["Oslo", "Rome"]);
      told(String(data.result), "Both are mild.");
    },
    async cut(model) {
      await fails(() => of(model("cut")).chat({ messages: ask }));
      await fails(async () => {
        let text = "";
        for await (const { delta } of await of(model("cut")).chat({ messages: ask, stream: true })) text += delta;
        return text;
      });
    },
    async cancel(model) {
      await isCanceled(async () => {
        for await (const { delta } of await of(model("stall")).chat({ messages: ask, stream: true })) if (delta) break;
      });
    },
  };
}

await runScenarios({
  chat: surface((model) => new OpenAI({ ...options, model, supportToolCall: true })),
  responses: surface((model) => openaiResponses({ ...options, model, store: false }), true),
});
