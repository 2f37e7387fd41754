/** The workflow of hosted bake-offs, as the rest of the Worker sees it. */

import { logError } from "../log.ts";

/** What an instance is told: which bake-off, and the batch it begins with. */
export interface HostedParams {
  readonly org: string;
  readonly id: string;
  readonly from: number;
}

export interface HostedRuns {
  /** Starts an instance; one that was started before is left alone. */
  start(params: HostedParams): Promise<void>;
  /** Whether it will still end by itself. Under `modelrig dev` one that stopped with its machine is set going again. */
  isAlive(params: HostedParams): Promise<boolean>;
}

export function hostedRuns(workflow: Workflow<HostedParams>): HostedRuns {
  /** Instances that this isolate knows to have been started. */
  const started = new Set<string>();

  const statusOf = async (id: string): Promise<InstanceStatus["status"] | undefined> => {
    try {
      const instance = await workflow.get(id);
      return (await instance.status()).status;
    } catch {
      return undefined;
    }
  };
  const start = async (params: HostedParams): Promise<void> => {
    const id = instanceOf(params);
    try {
      await workflow.create({ id, params });
    } catch (error) {
      // The platform refuses an id that it knows; locally, what is known goes on where it stopped.
      if ((await statusOf(id)) === undefined) throw error;
    }
    started.add(id);
  };
  return {
    start,
    async isAlive(params) {
      const id = instanceOf(params);
      try {
        if (!started.has(id)) await start(params);
      } catch (error) {
        logError("workflow not looked after", error, { instance: id });
        // Not known to be gone.
        return true;
      }
      const status = await statusOf(id);
      return status !== "errored" && status !== "terminated" && status !== "complete";
    },
  };
}

/** Instances are named across all orgs: ids of bake-offs are unique, or made from the org. */
function instanceOf({ id, from }: HostedParams): string {
  return from === 0 ? id : `${id}-${from}`;
}
