import { fileURLToPath } from "node:url";
import { build } from "esbuild";
import { Miniflare } from "miniflare";
import { afterAll, describe, expect, it } from "vitest";

/** The Worker's runtime forbids generated code, and its modules are bundled: both are put to the test here. */
const SOURCE = `
import { renderRequest } from "./src/route/render.ts";
import { checkInput } from "./src/route/input.ts";
import { simFetch } from "./src/provider/sim/simulator.ts";
export default {
  async fetch() {
    const template = { system: "{{ tone }}", user: "{% for x in items %}{{ x | json }};{% endfor %}{% if caps.vision %}!{% endif %}" };
    const input = { type: "object", properties: { items: { type: "array" }, tone: { default: "kind" } }, required: ["items"] };
    const request = new Request("https://sim.invalid/v1/chat/completions", {
      method: "POST", body: JSON.stringify({ model: "atlas-small", messages: [{ role: "user", content: "Hello there." }] }),
    });
    const answer = await simFetch(request, { sleep: async () => undefined });
    return Response.json({
      rendered: renderRequest(template, input, { items: [1, "a"] }, { vision: true }),
      checked: checkInput({ name: "r", input }, {}),
      simulated: (await answer.json()).simulated,
    });
  },
};`;

let worker: Miniflare | undefined;
afterAll(() => worker?.dispose());

describe("in workerd", () => {
  it("templates render, inputs are checked and the simulation answers, without generated code", async () => {
    const bundled = await build({
      stdin: { contents: SOURCE, resolveDir: fileURLToPath(new URL("../../..", import.meta.url)), loader: "ts" },
      bundle: true,
      write: false,
      format: "esm",
      platform: "neutral",
      mainFields: ["browser", "module", "main"],
      conditions: ["workerd", "worker", "browser", "import"],
    });
    worker = new Miniflare({
      modules: true,
      script: bundled.outputFiles[0]?.text ?? "",
      compatibilityDate: "2026-07-30",
    });
    const response = await worker.dispatchFetch("http://localhost/");
    expect(await response.json()).toMatchObject({
      rendered: {
        ok: true,
        value: {
          messages: [
            { role: "system", content: [{ text: "kind" }] },
            { role: "user", content: [{ text: '1;"a";!' }] },
          ],
        },
      },
      checked: { ok: false, error: { class: "bad_request" } },
      simulated: true,
    });
  });
});
