/** A thread of `run-worlds.ts`: takes the name of a world, answers its count. */
import { parentPort, workerData } from "node:worker_threads";
import { SimulatedRoute } from "./propose.ts";
import { runWorld } from "./run-world.ts";
import { WORLDS } from "./worlds.ts";

const terms = workerData as { readonly runs: number; readonly seed: number };

parentPort?.on("message", async (name: string) => {
  const world = WORLDS.find((one) => one.name === name);
  if (!world) throw new RangeError(`no world ${name}`);
  const proposer = () => {
    const route = new SimulatedRoute();
    return async (look: Parameters<typeof route.report>[0]) => (await route.report(look)).gate.proposes;
  };
  parentPort?.postMessage(await runWorld(world, proposer, terms));
});
