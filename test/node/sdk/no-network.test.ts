import { Socket } from "node:net";
import { afterEach, expect, it, vi } from "vitest";
import { bufferedItems, type RigProject, rigProject } from "../../support/hosts/rig.ts";

let project: RigProject | undefined;
afterEach(async () => {
  vi.restoreAllMocks();
  await project?.end();
});

it("without a key no socket is opened: calls of the simulated provider, records, grades, flush and close", async () => {
  const connect = vi.spyOn(Socket.prototype, "connect");
  const route = {
    candidates: [{ provider: "sim", model: "atlas-small" }],
    input: { type: "object", properties: { text: { type: "string" } } },
    template: { user: "{{ text }}" },
    budget: { usd_per_day: 1 },
    capture: true,
  };
  project = rigProject({
    baseUrl: "http://127.0.0.1:9/v1",
    routes: { "sim.text": route },
    config: { sim: { enabled: true, latency: 0 } },
  });
  const rig = project.rig();
  const result = await rig.run("sim.text", { input: { text: "hello" } });
  expect(result.meta).toMatchObject({ simulated: true, served: "sim/atlas-small" });
  rig.recordCall({ provider: "openai", model: "gpt-5.4-mini" });
  rig.grade({ kind: "inference", id: result.meta.inferenceId }, { score: 1, kind: "human" });
  await rig.flush();
  await rig.close();
  expect(bufferedItems(project.cwd)).toHaveLength(3);
  expect(connect).not.toHaveBeenCalled();

  // The guard sees what it must: a request to an address, there or not, does open one.
  await fetch("http://127.0.0.1:47999/").catch(() => undefined);
  expect(connect).toHaveBeenCalled();
});
