/** The official Anthropic client, with its own tool loop where the version has one. One file for all versions. */
import Anthropic from "@anthropic-ai/sdk";
import { equal, fails, isCanceled, runScenarios, WEATHER } from "./scenario.mjs";

const client = new Anthropic({ baseURL: process.env.BASE_URL, apiKey: process.env.KEY, maxRetries: 0 });
const ask = (content) => [{ role: "user", content }];
const textOf = (message) =>
  message.content
    .filter((block) => block.type === "text")
    .map((block) => block.text)
    .join("");

const messages = {
  async plain(model) {
    const answer = await client.messages.create({ model: model("text"), max_tokens: 99, messages: ask("hi") });
    equal(textOf(answer), "Grüße aus Oslo 🙂");
  },
  async stream(model) {
    const stream = client.messages.stream({ model: model("text"), max_tokens: 99, messages: ask("hi") });
    equal(textOf(await stream.finalMessage()), "Grüße aus Oslo 🙂");
  },
  async "three steps of tools"(model) {
    const turns = ask("compare");
    const tools = [{ name: "weather", input_schema: WEATHER }];
    const places = [];
    for (let step = 0; step < 3; step += 1) {
      const answer = await client.messages.create({ model: model("steps"), max_tokens: 99, messages: turns, tools });
      turns.push({ role: "assistant", content: answer.content });
      const calls = answer.content.filter((block) => block.type === "tool_use");
      if (calls.length === 0) return equal([places, textOf(answer)], [["Oslo", "Rome"], "Both are mild."]);
      places.push(...calls.map((call) => call.input.place));
      turns.push({
        role: "user",
        content: calls.map((call) => ({ type: "tool_result", tool_use_id: call.id, content: "mild" })),
      });
    }
    throw new Error("no last answer");
  },
  async cancel(model) {
    await isCanceled(async () => {
      const stream = client.messages.stream({ model: model("stall"), max_tokens: 99, messages: ask("hi") });
      for await (const event of stream) if (event.type === "content_block_delta") break;
    });
  },
  async cut(model) {
    const asked = { model: model("cut"), max_tokens: 99, messages: ask("hi") };
    await fails(() => client.messages.create(asked));
    await fails(() => client.messages.stream(asked).finalMessage());
  },
};

const toolRunner = client.beta?.messages?.toolRunner && {
  async "three steps of tools"(model) {
    const places = [];
    const weather = {
      name: "weather",
      input_schema: WEATHER,
      parse: (input) => input,
      run: ({ place }) => {
        places.push(place);
        return "mild";
      },
    };
    const asked = { model: model("steps"), max_tokens: 99, messages: ask("compare"), tools: [weather] };
    const last = await client.beta.messages.toolRunner(asked).runUntilDone();
    equal([places, textOf(last)], [["Oslo", "Rome"], "Both are mild."]);
  },
};

await runScenarios({ messages, ...(toolRunner && { toolRunner }) });
