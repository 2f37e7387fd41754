/** LangChain's OpenAI model, over chat and over Responses. */
import { HumanMessage, ToolMessage } from "@langchain/core/messages";
import { ChatOpenAI } from "@langchain/openai";
import { CITY, equal, fails, isCanceled, runScenarios, WEATHER } from "./scenario.mjs";

const configuration = { baseURL: `${process.env.BASE_URL}/v1` };

function surface(useResponsesApi) {
  const chat = (model) =>
    new ChatOpenAI({ model, apiKey: process.env.KEY, maxRetries: 0, configuration, useResponsesApi, zdrEnabled: true });
  return {
    async plain(model) {
      equal((await chat(model("text")).invoke("hi")).text, "Grüße aus Oslo 🙂");
    },
    async stream(model) {
      let text = "";
      for await (const chunk of await chat(model("text")).stream("hi")) text += chunk.text;
      equal(text, "Grüße aus Oslo 🙂");
    },
    async "three steps of tools"(model) {
      const tools = [{ type: "function", function: { name: "weather", parameters: WEATHER } }];
      const bound = chat(model("steps")).bindTools(tools);
      const messages = [new HumanMessage("compare")];
      const places = [];
      for (let step = 0; step < 3; step += 1) {
        const answer = await bound.invoke(messages);
        messages.push(answer);
        if (!answer.tool_calls?.length) return equal([places, answer.text], [["Oslo", "Rome"], "Both are mild."]);
        for (const call of answer.tool_calls) {
          places.push(call.args.place);
          messages.push(new ToolMessage({ tool_call_id: call.id, content: "mild" }));
        }
      }
      throw new Error("no last answer");
    },
    async structured(model) {
      const asked = chat(model("json")).withStructuredOutput(CITY, {
        name: "city",
        method: "jsonSchema",
        strict: true,
      });
      equal(await asked.invoke("Oslo?"), { city: "Oslo", population: 717710 });
    },
    async cut(model) {
      await fails(() => chat(model("cut")).invoke("hi"));
      await fails(async () => {
        for await (const _ of await chat(model("cut")).stream("hi"));
      });
    },
    async cancel(model) {
      await isCanceled(async () => {
        const aborter = new AbortController();
        for await (const chunk of await chat(model("stall")).stream("hi", { signal: aborter.signal })) {
          if (!chunk.text) continue;
          aborter.abort();
          break;
        }
      });
    },
  };
}

await runScenarios({ chat: surface(false), responses: surface(true) });
