/** The load generator, a process of its own: takes jobs from its parent, one at a time. */
import { Connection, requestBytes, type Target, type Timing } from "./connection.ts";

export type Job =
  /** As many answers as `connections` can take in `ms`; or exactly `count`. */
  | { readonly type: "load"; readonly target: Target; readonly connections: number; readonly until: Until }
  /** One at a time, each target once per round, the order turning. */
  | { readonly type: "paired"; readonly targets: readonly Target[]; readonly rounds: number };

export type Until = { readonly ms: number } | { readonly count: number };

export type JobResult =
  | { readonly type: "load"; readonly answers: number; readonly ms: number }
  | { readonly type: "paired"; readonly timings: readonly (readonly Timing[])[] };

async function verify(connection: Connection, target: Target, bytes: Buffer): Promise<void> {
  const kept: Buffer[] = [];
  await connection.exchange(bytes, kept);
  const text = Buffer.concat(kept).toString();
  if (!text.includes(target.expect)) throw new Error(`the answer lacks ${target.expect}: ${text.slice(-600)}`);
}

async function load({ target, connections, until }: Extract<Job, { type: "load" }>): Promise<JobResult> {
  const bytes = requestBytes(target);
  const first = await Connection.open(target.port);
  await verify(first, target, bytes);
  // Opened only now: a connection that lies idle while a large answer is verified is closed by workerd.
  const others = Array.from({ length: connections - 1 }, () => Connection.open(target.port));
  const open = [first, ...(await Promise.all(others))];
  const startedAt = performance.now();
  let asked = 0;
  let answers = 0;
  const goesOn = (): boolean => ("ms" in until ? performance.now() - startedAt < until.ms : asked < until.count);
  await Promise.all(
    open.map(async (connection) => {
      while (goesOn()) {
        asked += 1;
        await connection.exchange(bytes);
        answers += 1;
      }
    }),
  );
  const ms = performance.now() - startedAt;
  for (const connection of open) connection.close();
  return { type: "load", answers, ms };
}

async function paired({ targets, rounds }: Extract<Job, { type: "paired" }>): Promise<JobResult> {
  const lanes = await Promise.all(
    targets.map(async (target) => ({
      bytes: requestBytes(target),
      connection: await Connection.open(target.port),
      timings: [] as Timing[],
    })),
  );
  for (const [index, lane] of lanes.entries()) await verify(lane.connection, targets[index]!, lane.bytes);
  for (let round = 0; round < rounds; round += 1) {
    for (let turn = 0; turn < lanes.length; turn += 1) {
      const { connection, bytes, timings } = lanes[(round + turn) % lanes.length]!;
      timings.push(await connection.exchange(bytes));
    }
  }
  for (const { connection } of lanes) connection.close();
  return { type: "paired", timings: lanes.map(({ timings }) => timings) };
}

process.on("message", (job: Job) => {
  (job.type === "load" ? load(job) : paired(job)).then(
    (result) => process.send?.({ ok: true, result }),
    (error: unknown) => process.send?.({ ok: false, error: String(error) }),
  );
});
