import { beforeAll, describe, expect, it } from "vitest";
import { armsOf } from "../../../src/bakeoff/plan/arm.ts";
import { chooseReference } from "../../../src/bakeoff/plan/reference-choice.ts";
import type { MeasuredCapability, Registry } from "../../../src/registry/capability.ts";
import type { Route } from "../../../src/route/route.ts";
import { routeOf } from "../../support/sources/bundles.ts";

let route: Route;
beforeAll(async () => {
  route = await routeOf(`route: acme.task
candidates:
  - { provider: sim, model: atlas-large }
  - { provider: sim, model: atlas-small }
  - { provider: sim, model: slow, trial: true }
template: { user: "x" }
output: { schema: { type: object }, ladder: [native_strict, coached] }
variants:
  - { name: cheap, candidates: [{ provider: sim, model: atlas-small }] }
bakeoff: { reference: auto }
`);
});

const probe = (capability: MeasuredCapability["capability"], low: number, n = 100): MeasuredCapability => ({
  capability,
  n,
  passed: Math.round(n * low),
  low,
  high: 1,
  measuredAt: "2026-11-01",
});

const registryOf = (measured: Readonly<Record<string, readonly MeasuredCapability[]>>): Registry => ({
  find: (provider, model) => measured[`${provider}/${model}`] ?? [],
});

const modelOf = (choice: ReturnType<typeof chooseReference>) =>
  choice?.type === "arm" ? choice.arm.narrowed.candidates.map(({ key }) => key) : choice;

describe("the reference arm", () => {
  it("is the candidate with the highest lower bound of probed conformance, a trial one too", () => {
    const registry = registryOf({
      "sim/atlas-large": [probe("native_strict", 0.9)],
      "sim/slow": [probe("native_strict", 0.5), probe("coached", 0.96)],
    });
    expect(modelOf(chooseReference(route, registry))).toEqual(["sim/slow"]);
  });

  it("looks only at rungs that ask for JSON and that the route allows", () => {
    const registry = registryOf({
      "sim/atlas-large": [probe("coached", 0.7)],
      "sim/atlas-small": [probe("json_object", 0.99), probe("tools", 0.99), probe("caching", 1)],
    });
    expect(modelOf(chooseReference(route, registry))).toEqual(["sim/atlas-large"]);
  });

  it("is of equals the one declared first", () => {
    const registry = registryOf({
      "sim/slow": [probe("coached", 0.9)],
      "sim/atlas-small": [probe("native_strict", 0.9)],
    });
    expect(modelOf(chooseReference(route, registry))).toEqual(["sim/atlas-small"]);
  });

  it("is none, with the reason, where no candidate was probed: nothing is guessed", () => {
    const unprobed = registryOf({ "sim/slow": [probe("native_strict", 0, 0)], "sim/other": [probe("coached", 1)] });
    expect(chooseReference(route, unprobed)).toMatchObject({
      type: "none",
      reason: expect.stringContaining("no declared candidate has a probed conformance"),
    });
  });

  it("is the one named, whatever was probed; an undeclared name is none", () => {
    const registry = registryOf({ "sim/atlas-large": [probe("coached", 1)] });
    expect(modelOf(chooseReference(route, registry, "sim/atlas-small"))).toEqual(["sim/atlas-small"]);
    expect(chooseReference(route, registry, "sim/flaky")).toMatchObject({ type: "none" });
  });

  it("is not asked for where the route has none", () => {
    const { bakeoff: _, ...plain } = route;
    expect(chooseReference(plain, registryOf({ "sim/slow": [probe("coached", 1)] }))).toBeUndefined();
  });

  it("is an arm of its own that no variant can be confused with, on the route as declared", () => {
    const choice = chooseReference(route, registryOf({}), "sim/atlas-small");
    const arms = armsOf(route, ["cheap"], "default");
    expect(choice).toMatchObject({
      type: "arm",
      by: "declared",
      arm: { name: "reference:sim/atlas-small", role: "reference", narrowed: { variant: "default" } },
    });
    expect(arms.ok && arms.value.map(({ name }) => name)).toEqual(["default", "cheap"]);
  });
});
