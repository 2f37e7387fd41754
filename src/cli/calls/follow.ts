/** Calls as they end: the gateway is asked again and again for what it has not told yet. */
import { setTimeout as sleep } from "node:timers/promises";
import { CliError, EXIT } from "../command.ts";
import type { CallRow } from "./call-lines.ts";

const POLL_MS = 1_000;
/** A call is stored when it ends and dated when it began, so each poll looks back this far behind the newest one. */
const LOOK_BACK_MS = 60_000;
/** Streams take longer: every so many polls, a look back over the longest of them. */
const LONG_EVERY = 30;
const LONG_LOOK_BACK_MS = 35 * 60_000;

export interface FollowOptions {
  /** Calls that began at this time (ISO 8601) or later. */
  readonly ask: (since: string) => Promise<readonly CallRow[]>;
  readonly print: (rows: readonly CallRow[]) => void;
  /** Told when the gateway stops answering (the reason), and when it answers again (`undefined`). */
  readonly lost: (reason: string | undefined) => void;
  readonly signal: AbortSignal;
  readonly wait?: (ms: number, signal: AbortSignal) => Promise<unknown>;
}

/** Calls that were printed, or were over before following began. */
export class ToldCalls {
  readonly #seen = new Map<string, number>();
  #newest: number;

  /** `now`: epoch milliseconds. Knows nothing yet: `unseen(await ask(longSince()))` takes in what is over. */
  constructor(now: number) {
    this.#newest = now - LONG_LOOK_BACK_MS;
  }

  /** ISO 8601. */
  since(lookBack: number): string {
    return new Date(this.#newest - lookBack).toISOString();
  }

  longSince(): string {
    return this.since(LONG_LOOK_BACK_MS);
  }

  /** Returns the rows that were not given before, and remembers them as long as a look back can reach them. */
  unseen(rows: readonly CallRow[]): readonly CallRow[] {
    const fresh = rows.filter((row) => !this.#seen.has(String(row["id"])));
    for (const row of fresh) {
      const at = Date.parse(String(row["ts"]));
      this.#seen.set(String(row["id"]), at);
      this.#newest = Math.max(this.#newest, at);
    }
    for (const [id, at] of this.#seen) if (at < this.#newest - LONG_LOOK_BACK_MS) this.#seen.delete(id);
    return fresh;
  }
}

/** Prints every new call once until the signal aborts. Goes on while the gateway is away; any other failure ends it. */
export async function followCalls(told: ToldCalls, options: FollowOptions): Promise<void> {
  const { print, lost, signal, wait = pause } = options;
  let reachable = true;
  for (let poll = 1; !signal.aborted; poll += 1) {
    await wait(POLL_MS, signal);
    const since = poll % LONG_EVERY === 0 ? told.longSince() : told.since(LOOK_BACK_MS);
    const rows = await answered(options, since);
    if (signal.aborted) return;
    const answers = typeof rows !== "string";
    if (answers !== reachable) lost(answers ? undefined : rows);
    reachable = answers;
    const fresh = answers ? told.unseen(rows) : [];
    if (fresh.length > 0) print(fresh);
  }
}

/** The rows, or why the gateway gave none. */
async function answered({ ask }: FollowOptions, since: string): Promise<readonly CallRow[] | string> {
  try {
    return await ask(since);
  } catch (cause) {
    if (cause instanceof CliError && cause.exitCode === EXIT.unreachable) return cause.message;
    if (cause instanceof CliError && cause.exitCode === EXIT.interrupted) return cause.message;
    throw cause;
  }
}

async function pause(ms: number, signal: AbortSignal): Promise<void> {
  await sleep(ms, undefined, { signal }).catch((cause: unknown) => {
    if (!signal.aborted) throw cause;
  });
}
