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

/** Requires that `attempt` fails: an answer that was cut must not look whole to the client. */
export async function fails(attempt) {
  let answer;
  try {
    answer = await attempt();
  } catch {
    return;
  }
  throw new Error(`an answer that was cut was taken for whole: ${JSON.stringify(answer)}`);
}

/** What the upstream counts: requests that came (`asked`), streams that were left before their end (`left`). */
async function counted(what) {
  return Number(await (await fetch(`${process.env.UPSTREAM}/${what}`)).text());
}

async function untilMore(what, before) {
  for (let attempt = 0; attempt < 600; attempt += 1) {
    if ((await counted(what)) > before) return true;
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  return false;
}

/** Calls `act` with a command once it has asked the upstream. */
export function asked(act) {
  return async (child) => {
    if (await untilMore("asked", await counted("asked"))) act(child);
  };
}

/** Runs what leaves a stream, and waits until the upstream has noticed. */
export async function isCanceled(leave) {
  const before = await counted("left");
  await leave();
  if (!(await untilMore("left", before))) throw new Error("the upstream went on after the client left");
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
