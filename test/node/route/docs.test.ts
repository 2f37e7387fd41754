import { readdirSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import { configShape } from "../../../src/config/config-shape.ts";
import { BUILTIN_PROVIDERS } from "../../../src/provider/builtin.ts";
import { SIM_MODELS } from "../../../src/provider/sim/models.ts";
import { bundleShape } from "../../../src/route/bundle-shape.ts";

const root = fileURLToPath(new URL("../../..", import.meta.url));
const read = (path: string): string => readFileSync(`${root}/${path}`, "utf8");
const sources = ["src/route", "src/config"]
  .flatMap((folder) => readdirSync(`${root}/${folder}`).map((name) => read(`${folder}/${name}`)))
  .join("\n");

describe("the documents name", () => {
  it("every key of a bundle", () => {
    const documented = read("docs/routes.md");
    expect(Object.keys(bundleShape).filter((key) => !documented.includes(`| \`${key}\``))).toEqual([]);
  });

  it("every key of the configuration, every built-in provider, every simulated model", () => {
    const documented = read("docs/configuration.md");
    const words = [
      ...Object.keys(configShape),
      ...BUILTIN_PROVIDERS.map(({ name }) => name),
      ...SIM_MODELS.map(({ id }) => id),
    ];
    expect(words.filter((word) => !documented.includes(word))).toEqual([]);
  });

  it("every fault code", () => {
    const documented = read("docs/routes.md");
    const whole = [...sources.matchAll(/"(?:route|config)\.([a-z0-9_]+)"/g)].map((match) => match[1] ?? "");
    const short = [...sources.matchAll(/(?:fault|syntax)\(\s*"([a-z0-9_]+)"/g)].map((match) => match[1] ?? "");
    const codes = [...new Set([...whole, ...short])];
    expect(codes.length).toBeGreaterThan(40);
    expect(codes.filter((code) => !documented.includes(code))).toEqual([]);
  });
});
