/** promptfoo over chat, Responses and Messages; it asks for whole answers only. */
import { runCommand } from "./command.mjs";
import { CITY, equal, fails, runScenarios } from "./scenario.mjs";

const PROVIDERS = {
  chat: (model) => [`openai:chat:${model}`, { apiBaseUrl: `${process.env.BASE_URL}/v1`, apiKeyEnvar: "KEY" }],
  responses: (model) => [`openai:responses:${model}`, { apiBaseUrl: `${process.env.BASE_URL}/v1`, apiKeyEnvar: "KEY" }],
  messages: (model) => [`anthropic:messages:${model}`, { apiBaseUrl: process.env.BASE_URL, apiKey: process.env.KEY }],
};

async function answerOf(kind, model, more = {}) {
  const [id, config] = PROVIDERS[kind](model);
  const asked = { prompts: ["hi"], tests: [{}], providers: [{ id, config: { ...config, max_tokens: 99, ...more } }] };
  const args = ["eval", "-c", "asked.json", "-o", "answers.json", "--no-cache", "--no-table", "--no-write"];
  const { exitCode, text, err } = await runCommand("promptfoo", args, {
    files: { "work/asked.json": JSON.stringify(asked) },
    output: "answers.json",
  });
  if (text === "") throw new Error(`ended with ${exitCode} and no answers: ${err.slice(-600)}`);
  const [result] = JSON.parse(text).results.results;
  if (result.error) throw new Error(result.error);
  return result.response.output;
}

const surface = (kind) => ({
  async plain(model) {
    equal(await answerOf(kind, model("text")), "Grüße aus Oslo 🙂");
  },
  async cut(model) {
    await fails(() => answerOf(kind, model("cut")));
  },
});

const format = { type: "json_schema", json_schema: { name: "city", strict: true, schema: CITY } };
await runScenarios({
  chat: {
    ...surface("chat"),
    async structured(model) {
      const answer = await answerOf("chat", model("json"), { response_format: format });
      equal(answer, { city: "Oslo", population: 717710 });
    },
  },
  responses: surface("responses"),
  messages: surface("messages"),
});
