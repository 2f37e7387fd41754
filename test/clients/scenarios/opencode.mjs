/** opencode over chat and over Messages, with its own shell. */
import { runCommand } from "./command.mjs";
import { asked, equal, fails, isCanceled, runScenarios } from "./scenario.mjs";

const KINDS = { chat: "@ai-sdk/openai-compatible", messages: "@ai-sdk/anthropic" };

function opencode(kind, model, prompt, options = {}) {
  const models = { [model]: { name: "asked", tool_call: true, limit: { context: 100_000, output: 4_000 } } };
  const rig = { npm: KINDS[kind], options: { baseURL: `${process.env.BASE_URL}/v1`, apiKey: process.env.KEY }, models };
  const config = { autoupdate: false, share: "disabled", provider: { rig }, enabled_providers: ["rig"] };
  config.small_model = `rig/${model}`;
  return runCommand("opencode", ["run", "--pure", "--auto", "--format", "json", "-m", `rig/${model}`, prompt], {
    files: { "work/opencode.json": JSON.stringify(config) },
    ...options,
  });
}

async function answerOf(kind, model, prompt) {
  const { exitCode, text, err } = await opencode(kind, model, prompt);
  const events = text.split("\n").flatMap((line) => (line.startsWith("{") ? [JSON.parse(line)] : []));
  const error = events.find(({ type }) => type === "error");
  if (exitCode !== 0 || error) throw new Error(`ended with ${exitCode}: ${JSON.stringify(error)} ${err.slice(-600)}`);
  return events.findLast(({ type }) => type === "text")?.part.text;
}

const surface = (kind) => ({
  async stream(model) {
    equal(await answerOf(kind, model("text"), "hi"), "Grüße aus Oslo 🙂");
  },
  async "a command in the shell"(model) {
    equal(await answerOf(kind, model("shell"), "try the shell"), "It works.");
  },
  async cut(model) {
    await fails(() => answerOf(kind, model("cut"), "hi"));
  },
  async cancel(model) {
    await isCanceled(() => opencode(kind, model("stall"), "hi", { leave: asked((child) => child.kill("SIGINT")) }));
  },
});

await runScenarios({ chat: surface("chat"), messages: surface("messages") });
