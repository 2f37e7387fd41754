import { type ChildProcess, fork } from "node:child_process";
import { randomBytes } from "node:crypto";
import { fileURLToPath } from "node:url";
import { DatabaseFileError } from "./database-file.ts";
import { HranaHttpError } from "./hrana-error.ts";
import type { FromProcess, HranaAnswer, HranaEndpoint, ProcessOptions, ToProcess } from "./process-messages.ts";

interface EngineOptions {
  readonly file: string;
  readonly streamIdleMs: number;
  /** How long one request may keep the engine. */
  readonly requestLimitMs: number;
  /** Takes one line each time the process ended by itself, or was ended, and another took its place. */
  readonly log: (line: string) => void;
}

/** How long the process may take to notice that a request is to be given up; one that runs a statement does not notice. */
const NOTICE_MS = 500;
const CLOSE_WAIT_MS = 5_000;
/** The last of what the engine's library says before it ends the process. */
const MOST_STDERR = 2_000;

interface Pending {
  readonly endpoint: HranaEndpoint;
  readonly body: string;
  readonly resolve: (answer: HranaAnswer) => void;
  readonly reject: (cause: unknown) => void;
  /** The process that executes it, or executed a part of it. */
  begun: ChildProcess | undefined;
  timer: NodeJS.Timeout | undefined;
  /** Why it is being given up, once it is. */
  givenUp: "limit" | "left" | undefined;
}

/**
 * The engine in a process of its own, which is started again when it ends. A request that had begun then is answered with
 * an error; one that had not is given to the next process.
 */
export class EngineProcess {
  readonly #options: EngineOptions;
  readonly #pending = new Map<number, Pending>();
  /** `undefined` after one that did not start: the next request tries again. */
  #child: Promise<ChildProcess> | undefined;
  #lastId = 0;
  #closing = false;

  private constructor(options: EngineOptions, child: ChildProcess) {
    this.#options = options;
    this.#child = Promise.resolve(child);
    this.#watch(child);
  }

  /** Rejects with `DatabaseFileError` for an unusable file. */
  static async start(options: EngineOptions): Promise<EngineProcess> {
    return new EngineProcess(options, await startChild(options, { check: true }));
  }

  /** Rejects with `HranaHttpError` where the process ended over it, or cannot be started. `signal` = nobody waits any more. */
  async answer(endpoint: HranaEndpoint, body: string, signal: AbortSignal): Promise<HranaAnswer> {
    const id = ++this.#lastId;
    const answered = new Promise<HranaAnswer>((resolve, reject) => {
      this.#pending.set(id, {
        endpoint,
        body,
        resolve,
        reject,
        begun: undefined,
        timer: undefined,
        givenUp: undefined,
      });
    });
    const left = (): void => this.#giveUp(id, "left");
    signal.addEventListener("abort", left, { once: true });
    try {
      void this.#send(id);
      return await answered;
    } finally {
      signal.removeEventListener("abort", left);
      clearTimeout(this.#pending.get(id)?.timer);
      this.#pending.delete(id);
    }
  }

  /** Ends the process once the requests it works on are answered. */
  async close(): Promise<void> {
    this.#closing = true;
    const child = await this.#child?.catch(() => undefined);
    if (!child || hasEnded(child)) return;
    const ended = new Promise((resolve) => child.once("exit", resolve));
    const timer = setTimeout(() => child.kill("SIGKILL"), CLOSE_WAIT_MS);
    child.disconnect();
    await ended;
    clearTimeout(timer);
  }

  async #send(id: number): Promise<void> {
    const pending = this.#pending.get(id);
    if (!pending) return;
    try {
      const child = await this.#running();
      // Its end is about to be noticed, which sends the request to the next one.
      if (hasEnded(child)) return;
      post(child, { type: "request", id, endpoint: pending.endpoint, body: pending.body });
    } catch (cause) {
      const why = cause instanceof Error ? cause.message : String(cause);
      pending.reject(new HranaHttpError(503, "DATABASE_DOWN", `the database process does not start: ${why}`));
    }
  }

  #running(): Promise<ChildProcess> {
    this.#child ??= startChild(this.#options, { check: false }).then(
      (child) => {
        this.#watch(child);
        if (this.#closing) child.disconnect();
        return child;
      },
      (cause: unknown) => {
        this.#child = undefined;
        throw cause;
      },
    );
    return this.#child;
  }

  #watch(child: ChildProcess): void {
    const said = lastWords(child);
    child.on("message", (message: FromProcess) => this.#receive(child, message));
    // The channel may still hold what the process sent before its end.
    const drained = new Promise((resolve) => child.once("disconnect", resolve));
    child.once("exit", (code, signal) => {
      void drained.then(() => {
        if (!this.#closing) this.#restart(child, signal ?? `code ${code}`, said());
        else for (const pending of this.#pending.values()) pending.reject(lost("the database is being closed"));
      });
    });
  }

  #receive(child: ChildProcess, message: FromProcess): void {
    if (message.type !== "begun" && message.type !== "answer") return;
    const pending = this.#pending.get(message.id);
    if (!pending) return;
    if (message.type === "begun") {
      pending.begun = child;
      pending.timer = setTimeout(() => this.#giveUp(message.id, "limit"), this.#options.requestLimitMs);
    } else if (pending.givenUp === "limit") {
      pending.reject(this.#overLimit());
    } else {
      pending.resolve(message.answer);
    }
  }

  /** Asks the process to drop the request, and ends it where it does not notice because a statement keeps it. */
  #giveUp(id: number, why: "limit" | "left"): void {
    const pending = this.#pending.get(id);
    if (!pending || pending.givenUp !== undefined) return;
    pending.givenUp = why;
    clearTimeout(pending.timer);
    const child = pending.begun;
    if (child === undefined) {
      pending.reject(lost("the client left before it was executed"));
      return;
    }
    post(child, { type: "abandon", id });
    pending.timer = setTimeout(() => child.kill("SIGKILL"), NOTICE_MS);
  }

  #restart(ended: ChildProcess, how: string, said: string): void {
    const panic = /panicked at[^\n]*\n[^\n]*/.exec(said)?.[0].replace(/\s+/g, " ");
    const limits = [...this.#pending.values()].some(({ begun, givenUp }) => begun === ended && givenUp !== undefined);
    const why = limits ? "a statement took too long or its client left" : (panic ?? how);
    this.#options.log(`the database process ended (${why}) and is started again`);
    this.#child = undefined;
    // At once, so that the next request finds it running; where that fails, the request says so.
    this.#running().catch(() => undefined);
    for (const [id, pending] of this.#pending) {
      if (pending.begun === undefined) void this.#send(id);
      else if (pending.givenUp === "limit") pending.reject(this.#overLimit());
      else pending.reject(lost("the database process ended while it worked on this request"));
    }
  }

  #overLimit(): HranaHttpError {
    const seconds = this.#options.requestLimitMs / 1000;
    return new HranaHttpError(504, "SQL_TIMEOUT", `the request took longer than ${seconds} s and was rolled back`);
  }
}

function lost(what: string): HranaHttpError {
  return new HranaHttpError(500, "DATABASE_RESTARTED", `${what}; what it had not committed is rolled back`);
}

/** Resolves once it serves. Rejects with `DatabaseFileError`, or with how it ended. */
function startChild(options: EngineOptions, { check }: Pick<ProcessOptions, "check">): Promise<ChildProcess> {
  const { file, streamIdleMs } = options;
  const settings: ProcessOptions = { file, streamIdleMs, check, generation: randomBytes(6).toString("hex") };
  // Beside this file, as source and as published.
  const extension = import.meta.url.endsWith(".ts") ? "ts" : "js";
  const entry = fileURLToPath(new URL(`./database-process.${extension}`, import.meta.url));
  const child = fork(entry, [JSON.stringify(settings)], {
    execArgv: [],
    serialization: "advanced",
    stdio: ["ignore", "ignore", "pipe", "ipc"],
  });
  return new Promise((resolve, reject) => {
    const said = lastWords(child);
    child.once("error", reject);
    child.once("exit", (code, signal) => reject(new Error(`it ended with ${signal ?? code}: ${said().trim()}`)));
    child.once("message", (message: FromProcess) => {
      if (message.type === "unusable") {
        reject(new DatabaseFileError(file, message.reason, message.detail, message.fix));
      } else {
        resolve(child);
      }
    });
  });
}

/** Reads what the process writes to its standard error, and returns a reader of its end. */
function lastWords(child: ChildProcess): () => string {
  let said = "";
  child.stderr?.on("data", (chunk: Buffer) => {
    said = (said + chunk.toString("utf8")).slice(-MOST_STDERR);
  });
  return () => said;
}

function post(child: ChildProcess, message: ToProcess): void {
  // A process that has just ended takes nothing; its end is what answers the request.
  child.send(message, () => undefined);
}

function hasEnded(child: ChildProcess): boolean {
  return child.exitCode !== null || child.signalCode !== null || !child.connected;
}
