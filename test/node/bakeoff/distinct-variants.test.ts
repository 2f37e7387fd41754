import { describe, expect, it } from "vitest";
import { distinctVariants } from "../../../src/bakeoff/plan/distinct-variants.ts";
import { routeOf } from "../../support/sources/bundles.ts";

const HEAD = `route: acme.task
candidates:
  - { provider: sim, model: atlas-large, params: { temperature: 0.2 } }
  - { provider: sim, model: atlas-small }
input: { type: object, properties: { text: { type: string } } }
template: { user: "Summarise: {{ text }}" }
variants:
`;

async function sameOf(variants: string, incumbent = "default") {
  const route = await routeOf(HEAD + variants);
  const found = await distinctVariants(route, ["default", ...route.variants.map(({ name }) => name)], incumbent);
  if (!found.ok) throw new Error(found.error.message);
  return found.value.same;
}

describe("variants of a bake-off", () => {
  it.each([
    ["another name", "  - { name: copy, candidates: [{ provider: sim, model: atlas-large }] }"],
    ["a blank in the template", `  - { name: copy, template: { user: "Summarise:  {{ text }} " } }`],
    [
      "params that the route has too",
      "  - { name: copy, params: { temperature: 0.2 }, candidates: [{ provider: sim, model: atlas-large }] }",
    ],
  ])("leave out one that differs from what serves by %s only", async (_what, variant) => {
    expect(await sameOf(variant)).toEqual({ copy: "default" });
  });

  it("leave out one that was made the default: only its fallbacks are new", async () => {
    const cheap = "  - { name: cheap, candidates: [{ provider: sim, model: atlas-small }] }";
    expect(await sameOf(cheap)).toEqual({});
    const large = "  - { name: large, candidates: [{ provider: sim, model: atlas-large }] }";
    expect(await sameOf(`${cheap}\n${large}`)).toEqual({ large: "default" });
  });

  it("leave out the second of two challengers that are one", async () => {
    const [a, b] = ["a", "b"].map(
      (name) => `  - { name: ${name}, candidates: [{ provider: sim, model: atlas-small }] }`,
    );
    expect(await sameOf(`${a}\n${b}`)).toEqual({ b: "a" });
  });

  it.each([
    ["other sampling", "  - { name: other, params: { temperature: 0.9 } }"],
    ["another prompt", `  - { name: other, template: { user: "Sum up: {{ text }}" } }`],
    [
      "another order",
      "  - { name: other, candidates: [{ provider: sim, model: atlas-small }, { provider: sim, model: atlas-large }] }",
    ],
  ])("keep one with %s", async (_what, variant) => {
    expect(await sameOf(variant)).toEqual({});
  });

  it("compare with what a pin serves, where one does", async () => {
    const pinned =
      "  - { name: cheap, candidates: [{ provider: sim, model: atlas-small }] }\n  - { name: copy, candidates: [{ provider: sim, model: atlas-small }] }";
    expect(await sameOf(pinned, "cheap")).toEqual({ copy: "cheap" });
  });
});
