import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { CYCLES, cycleOf } from "../../../workers/background/cycles.ts";

test("wrangler.toml names exactly the crons of the cycle table", () => {
  const toml = readFileSync(new URL("../../../wrangler.toml", import.meta.url), "utf8");
  const [, list = ""] = /^crons = \[(.*)\]$/m.exec(toml) ?? [];
  const crons = list.split(",").map((cron) => cron.trim().replaceAll('"', ""));
  expect(crons.sort()).toEqual(Object.values(CYCLES).sort());
});

test("a cron that no cycle has is no cycle", () => {
  expect(cycleOf("7 * * * *")).toBe("upkeep");
  expect(cycleOf("8 * * * *")).toBeUndefined();
});
