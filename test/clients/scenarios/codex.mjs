/** Codex, which speaks Responses and runs its own shell at the client. */
import { runCommand } from "./command.mjs";
import { asked, equal, fails, isCanceled, runScenarios } from "./scenario.mjs";

const provider = `{ name = "rig", base_url = "${process.env.BASE_URL}/v1", env_key = "KEY", wire_api = "responses", request_max_retries = 0, stream_max_retries = 0 }`;

function codex(model, prompt, options = {}) {
  const settings = [`model_providers.rig=${provider}`, 'model_provider="rig"', 'approval_policy="never"'];
  const args = ["exec", "--skip-git-repo-check", "--sandbox", "danger-full-access", "-o", "last.txt", "-m", model];
  return runCommand("codex", [...args, ...settings.flatMap((each) => ["-c", each]), prompt], {
    output: "last.txt",
    ...options,
  });
}

async function answerOf(model, prompt) {
  const { exitCode, text, err, out } = await codex(model, prompt);
  if (exitCode !== 0) throw new Error(`codex ended with ${exitCode}: ${(err + out).slice(-600)}`);
  return text;
}

await runScenarios({
  responses: {
    async stream(model) {
      equal(await answerOf(model("text"), "hi"), "Grüße aus Oslo 🙂");
    },
    async "a command in the shell"(model) {
      equal(await answerOf(model("shell"), "try the shell"), "It works.");
    },
    async cut(model) {
      await fails(() => answerOf(model("cut"), "hi"));
    },
    async cancel(model) {
      await isCanceled(() => codex(model("stall"), "hi", { leave: asked((child) => child.kill("SIGINT")) }));
    },
  },
});
