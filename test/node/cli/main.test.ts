import { mkdtempSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, describe, expect, test } from "vitest";
import { EXIT } from "../../../src/cli/command.ts";
import { COMMANDS } from "../../../src/cli/commands.ts";
import { writeDevState } from "../../../src/cli/dev-state.ts";
import { main } from "../../../src/cli/main.ts";
import { fakeIo } from "../../support/hosts/fake-io.ts";

const closers: (() => void)[] = [];
afterEach(() => {
  for (const close of closers.splice(0)) close();
});

async function gateway(status: number, body: unknown): Promise<{ url: string; keys: (string | undefined)[] }> {
  const keys: (string | undefined)[] = [];
  const server = createServer((request, response) => {
    keys.push(request.headers.authorization);
    response.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify(body));
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  closers.push(() => server.close());
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, keys };
}

const WHO = { org: { id: "org_1", slug: "acme" }, key: { id: "key_1", scopes: ["call"] } };

describe("the command line", () => {
  test("lists every command with its summary, on stdout, and exits 0", async () => {
    const io = fakeIo();
    expect(await main(["--help"], io)).toBe(EXIT.done);
    for (const { name, summary } of COMMANDS) {
      expect(io.out()).toContain(name);
      expect(io.out().replace(/\s+/g, " ")).toContain(summary);
    }
    expect(io.err()).toBe("");
  });

  test("starts its help with examples", async () => {
    const io = fakeIo();
    await main([], io);
    expect(io.out().startsWith("EXAMPLES")).toBe(true);
  });

  test("suggests the command that was meant and exits 2", async () => {
    const io = fakeIo();
    expect(await main(["whoamii"], io)).toBe(EXIT.usage);
    expect(io.err()).toContain("did you mean whoami?");
    expect(io.out()).toBe("");
  });

  test("refuses an unknown option with exit 2", async () => {
    const io = fakeIo();
    expect(await main(["whoami", "--frobnicate"], io)).toBe(EXIT.usage);
    expect(io.err()).toContain("--frobnicate");
  });

  test("documents each exit code", async () => {
    const io = fakeIo();
    expect(await main(["help", "exit-codes"], io)).toBe(EXIT.done);
    for (const code of Object.values(EXIT)) expect(io.out()).toMatch(new RegExp(`^ *${code}  `, "m"));
  });

  test("prints errors as the one JSON document when --json is given", async () => {
    const io = fakeIo();
    expect(await main(["whoami", "--json"], io)).toBe(EXIT.usage);
    expect(JSON.parse(io.out())).toMatchObject({ schema: "modelrig.error/1", error: { code: "gateway.no_url" } });
    expect(io.err()).toBe("");
  });

  test("takes global flags wherever they stand", async () => {
    const io = fakeIo();
    expect(await main(["whoami", "--color", "sometimes"], io)).toBe(EXIT.usage);
    expect(io.err()).toContain("--color takes never, auto or always");
  });
});

describe("talking to a gateway", () => {
  test("sends the key of the environment", async () => {
    const { url, keys } = await gateway(200, WHO);
    const io = fakeIo({ env: { MODELRIG_URL: url, MODELRIG_KEY: "rig_sk_a" } });
    expect(await main(["whoami", "--json"], io)).toBe(EXIT.done);
    expect(keys).toEqual(["Bearer rig_sk_a"]);
    expect(JSON.parse(io.out())).toMatchObject({ schema: "modelrig.whoami/1", org: { slug: "acme" } });
  });

  test("uses what a running dev left behind, but sends its key nowhere else", async () => {
    const cwd = mkdtempSync(join(tmpdir(), "modelrig-"));
    const local = await gateway(200, WHO);
    const other = await gateway(200, WHO);
    writeDevState(cwd, { url: local.url, key: "rig_sk_local", org: "org_1", db_url: "http://x", db_token: "t" });
    expect(await main(["whoami"], fakeIo({ cwd }))).toBe(EXIT.done);
    expect(local.keys).toEqual(["Bearer rig_sk_local"]);
    const io = fakeIo({ cwd, env: { MODELRIG_URL: other.url } });
    expect(await main(["whoami"], io)).toBe(EXIT.auth);
    expect(other.keys).toEqual([]);
  });

  test.each([
    [401, EXIT.auth],
    [403, EXIT.auth],
    [503, EXIT.unreachable],
    [500, EXIT.unexpected],
  ])("maps an answer of %i to exit %i and says what the gateway said", async (status, exitCode) => {
    const { url } = await gateway(status, { error: { message: "because of reasons" } });
    const io = fakeIo({ env: { MODELRIG_URL: url, MODELRIG_KEY: "rig_sk_a" } });
    expect(await main(["whoami"], io)).toBe(exitCode);
    expect(io.err()).toContain("because of reasons");
  });

  test("exits 5 where nothing listens", async () => {
    const { url } = await gateway(200, WHO);
    for (const close of closers.splice(0)) close();
    const io = fakeIo({ env: { MODELRIG_URL: url, MODELRIG_KEY: "rig_sk_a" } });
    expect(await main(["whoami"], io)).toBe(EXIT.unreachable);
  });

  test("never prints the key", async () => {
    const { url } = await gateway(401, { error: { message: "no" } });
    const io = fakeIo({ env: { MODELRIG_URL: url, MODELRIG_KEY: "rig_sk_secret" } });
    await main(["whoami", "--debug"], io);
    expect(io.out() + io.err()).not.toContain("rig_sk_secret");
  });
});
