import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, describe, expect, it } from "vitest";
import { startWorker, type WorkerHost } from "../../../src/cli/dev/worker-host.ts";
import { DEFAULT_CONFIG } from "../../../src/config/defaults.ts";
import { keyFrom } from "../../../src/identity/key.ts";

let host: WorkerHost | undefined;
let folder: string | undefined;
afterEach(async () => {
  await host?.dispose();
  if (folder) rmSync(folder, { recursive: true, force: true });
});

/** The built Worker, fresh: none of its parts is loaded. It has no database. */
async function freshWorker(): Promise<(path: string, init?: RequestInit) => Promise<Response>> {
  folder = mkdtempSync(join(tmpdir(), "modelrig-first-"));
  const bindings = { MODELRIG_COMPILED: { schema: "modelrig.compiled/1", routes: [], config: DEFAULT_CONFIG } };
  host = await startWorker({ persist: folder, bindings, log: () => undefined });
  const { port } = host;
  return (path, init) => fetch(`http://127.0.0.1:${port}${path}`, init);
}

describe("the parts of a Worker that are loaded when they are first asked for", () => {
  it("serve all requests that ask for them at once, and the next", async () => {
    const ask = await freshWorker();
    const paths = ["/health", "/openapi.json", "/llms.txt", "/health", "/openapi.json", "/nowhere-to-be-found"];
    const responses = await Promise.all(paths.map((path) => ask(path)));
    expect(responses.map(({ status }) => status)).toEqual([200, 200, 200, 200, 200, 401]);
    expect((await ask("/openapi.json")).status).toBe(200);
  });

  it("serve calls that begin at once, each told that there is no database for its key", async () => {
    const ask = await freshWorker();
    const headers = { authorization: `Bearer ${keyFrom(new Uint8Array(32).fill(7))}` };
    const call = () => ask("/v1/chat/completions", { method: "POST", body: "{}", headers });
    const control = () => ask("/v1/whoami", { headers });
    const responses = await Promise.all([call(), call(), control(), call(), control()]);
    for (const response of responses) {
      expect(response.status).toBe(503);
      expect(await response.json()).toMatchObject({ error: { code: "keys_unavailable" } });
    }
  });
});
