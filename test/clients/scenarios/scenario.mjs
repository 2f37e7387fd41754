/** What every client's scenarios share. Runs inside the folder of one installed client. */
import { isDeepStrictEqual } from "node:util";

export const WEATHER = { type: "object", properties: { place: { type: "string" } }, required: ["place"] };
export const CITY = {
  type: "object",
  properties: { city: { type: "string" }, population: { type: "integer" } },
  required: ["city", "population"],
  additionalProperties: false,
};

export function equal(actual, expected) {
  if (isDeepStrictEqual(actual, expected)) return;
  throw new Error(`got ${JSON.stringify(actual)}, expected ${JSON.stringify(expected)}`);
}

/** Runs each scenario of each surface onto every upstream, raw and on a budgeted route; prints one JSON line a case. */
export async function runScenarios(surfaces) {
  const targets = process.env.PROVIDERS.split(",").flatMap((provider) => [
    { onto: provider, model: (name) => `${provider}/${name}` },
    { onto: `${provider} budgeted`, model: (name) => `clients.${provider}_${name}` },
  ]);
  for (const [surface, scenarios] of Object.entries(surfaces)) {
    for (const [scenario, run] of Object.entries(scenarios)) {
      for (const { onto, model } of targets) {
        const fault = await run(model).then(
          () => undefined,
          (error) => String(error?.message ?? error),
        );
        console.log(JSON.stringify({ surface, scenario, onto, fault }));
      }
    }
  }
}
