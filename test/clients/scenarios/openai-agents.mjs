/** OpenAI Agents, with its own tool loop, over chat and over Responses. */
import { Agent, OpenAIProvider, Runner, setTracingDisabled, tool } from "@openai/agents";
import { equal, fails, isCanceled, runScenarios, WEATHER } from "./scenario.mjs";

setTracingDisabled(true);

function surface(useResponses, modelSettings) {
  const modelProvider = new OpenAIProvider({
    baseURL: `${process.env.BASE_URL}/v1`,
    apiKey: process.env.KEY,
    useResponses,
  });
  const runner = new Runner({ modelProvider, tracingDisabled: true });
  const agent = (model, tools = []) =>
    new Agent({ name: "asker", instructions: "Answer.", model, tools, modelSettings });
  return {
    async plain(model) {
      equal((await runner.run(agent(model("text")), "hi")).finalOutput, "Grüße aus Oslo 🙂");
    },
    async stream(model) {
      const result = await runner.run(agent(model("text")), "hi", { stream: true });
      let text = "";
      for await (const piece of result.toTextStream()) text += piece;
      await result.completed;
      equal(text, "Grüße aus Oslo 🙂");
    },
    async "three steps of tools"(model) {
      const places = [];
      const weather = tool({
        name: "weather",
        description: "The weather of a place.",
        parameters: { ...WEATHER, additionalProperties: false },
        strict: false,
        execute: async ({ place }) => {
          places.push(place);
          return "mild";
        },
      });
      const { finalOutput } = await runner.run(agent(model("steps"), [weather]), "compare");
      equal([places, finalOutput], [["Oslo", "Rome"], "Both are mild."]);
    },
    async cut(model) {
      await fails(() => runner.run(agent(model("cut")), "hi"));
      await fails(async () => {
        const result = await runner.run(agent(model("cut")), "hi", { stream: true });
        for await (const _ of result.toTextStream());
        await result.completed;
        return result.finalOutput;
      });
    },
    async cancel(model) {
      await isCanceled(async () => {
        const aborter = new AbortController();
        const asked = { stream: true, signal: aborter.signal };
        const result = await runner.run(agent(model("stall")), "hi", asked);
        result.completed.catch(() => undefined);
        const pieces = result.toTextStream()[Symbol.asyncIterator]();
        await pieces.next();
        aborter.abort();
      });
    },
  };
}

await runScenarios({ chat: surface(false, {}), responses: surface(true, { store: false }) });
