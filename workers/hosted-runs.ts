/** The workflow of hosted bake-offs, as the rest of the Worker sees it. */

/** What an instance is told: which bake-off, and the batch it begins with. */
export interface HostedParams {
  readonly org: string;
  readonly id: string;
  readonly from: number;
}

export interface HostedRuns {
  /** Starts an instance; one that was started before is left alone. */
  start(instance: string, params: HostedParams): Promise<void>;
  /** Whether it will still do something by itself. */
  isAlive(instance: string): Promise<boolean>;
}

/** Ids of instances are shared by all orgs: those of bake-offs are unique, or made from the org. */
export function hostedRuns(workflow: Workflow<HostedParams>): HostedRuns {
  const known = async (id: string): Promise<InstanceStatus["status"] | undefined> => {
    try {
      const instance = await workflow.get(id);
      return (await instance.status()).status;
    } catch {
      return undefined;
    }
  };
  return {
    async start(id, params) {
      try {
        await workflow.create({ id, params });
      } catch (error) {
        if ((await known(id)) === undefined) throw error;
      }
    },
    async isAlive(id) {
      const status = await known(id);
      return status !== "errored" && status !== "terminated" && status !== "complete";
    },
  };
}
