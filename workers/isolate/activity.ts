/** What this isolate is busy with: calls in flight, and telemetry handed to the queue and not yet stored. */
export class Activity {
  inFlight = 0;
  queued = 0;
  /** Set by `modelrig dev` when it ends: calls in flight go on, new ones are refused. */
  draining = false;

  /** Counts `work` as in flight until it settles. */
  async track<T>(work: Promise<T>): Promise<T> {
    this.inFlight += 1;
    try {
      return await work;
    } finally {
      this.inFlight -= 1;
    }
  }
}
