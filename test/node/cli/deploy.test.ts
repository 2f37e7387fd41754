import { expect, test } from "vitest";
import { EXIT } from "../../../src/cli/command.ts";
import { freshFolder, modelrig } from "../../support/hosts/dev-process.ts";

test("deploy --dry-run says each step, builds the Worker, and needs no credentials", async () => {
  const { exitCode, stdout, stderr } = await modelrig(["deploy", "--dry-run"]);
  expect(exitCode, stderr).toBe(EXIT.done);
  const steps = stdout.split("\n").filter(Boolean);
  expect(steps.map((line) => line.split(/\s+/)[1])).toEqual(["check", "migrate", "queue", "deploy"]);
  expect(stdout).toContain("modelrig-telemetry-dead");
  expect(stderr).toContain("Total Upload");
});

test("deploy without credentials changes nothing and names all that is missing", async () => {
  const { exitCode, stderr } = await modelrig(["deploy"]);
  expect(exitCode).toBe(EXIT.auth);
  for (const name of ["TURSO_DATABASE_URL", "TURSO_AUTH_TOKEN", "CLOUDFLARE_API_TOKEN"]) expect(stderr).toContain(name);
});

test("a database that cannot be reached is exit 5, and its token is not shown", async () => {
  const env = {
    TURSO_DATABASE_URL: "http://127.0.0.1:1",
    TURSO_AUTH_TOKEN: "secret-token",
    CLOUDFLARE_API_TOKEN: "cf-secret",
  };
  const { exitCode, stdout, stderr } = await modelrig(["deploy"], { cwd: freshFolder(), env });
  expect(exitCode).toBe(EXIT.unreachable);
  expect(stdout + stderr).not.toMatch(/secret-token|cf-secret/);
});
