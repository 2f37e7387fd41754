import { QueryRefusal, type Span } from "./fault.ts";

/** From `since` on (epoch milliseconds), local time is UTC plus `offset` milliseconds. */
export interface OffsetPeriod {
  readonly since: number;
  readonly offset: number;
}

/** Shortest time for which any zone has kept an offset. */
const STEP_MS = 14 * 86_400_000;
const MINUTE_MS = 60_000;
const DAY_MS = 86_400_000;
/** `2026, GMT+02:00`; without an offset where there is none. */
const OFFSET = /GMT([+-])(\d\d):(\d\d)(?::(\d\d))?/;
const NAME = /^[A-Za-z0-9_+/:-]{1,64}$/;

/** Accepts a zone of the IANA database, or an offset such as `+02:00`. */
export class TimeZone {
  readonly name: string;
  readonly #format: Intl.DateTimeFormat | undefined;

  private constructor(name: string, format: Intl.DateTimeFormat | undefined) {
    this.name = name;
    this.#format = format;
  }

  static readonly utc = new TimeZone("UTC", undefined);

  /** Throws `QueryRefusal` for a name that the runtime does not have. */
  static named(name: string, span: Span): TimeZone {
    const format = NAME.test(name) ? formatOf(name) : undefined;
    if (!format) {
      throw new QueryRefusal("query_timezone", "this time zone is not known", span, {
        found: name,
        expected: ["'Area/City'", "'UTC'", "'+02:00'"],
        hint: "zones have the names of the IANA database, for example 'Europe/Berlin'",
      });
    }
    return name.toUpperCase() === "UTC" ? TimeZone.utc : new TimeZone(name, format);
  }

  /** Returns the milliseconds that local time is ahead of UTC at an instant. */
  offsetAt(instant: number): number {
    if (!this.#format) return 0;
    const [, sign, hours = 0, minutes = 0, seconds = 0] = OFFSET.exec(this.#format.format(instant)) ?? [];
    const size = (Number(hours) * 3_600 + Number(minutes) * 60 + Number(seconds)) * 1_000;
    return sign === "-" ? -size : size;
  }

  /**
   * Returns the instant at which clocks show a local time, which is given as if it were UTC. A time that clocks show
   * twice is the first of the two; a time that clocks skip is moved forward by the length of the gap.
   */
  instantOf(local: number): number {
    const before = this.offsetAt(local - DAY_MS);
    const after = this.offsetAt(local + DAY_MS);
    const fits = [local - before, local - after].filter((instant) => instant + this.offsetAt(instant) === local);
    return fits.length > 0 ? Math.min(...fits) : local - before;
  }

  /** Returns every offset between two instants, oldest first. The first period has no beginning, the last no end. */
  periods(from: number, to: number): readonly OffsetPeriod[] {
    const periods: OffsetPeriod[] = [{ since: from, offset: this.offsetAt(from) }];
    if (!this.#format) return periods;
    let last = this.offsetAt(from);
    for (let at = from; at < to; at += STEP_MS) {
      const next = this.offsetAt(Math.min(at + STEP_MS, to));
      if (next === last) continue;
      periods.push({ since: this.#change(at, Math.min(at + STEP_MS, to)), offset: next });
      last = next;
    }
    return periods;
  }

  /** Returns the first minute after `low` with the offset of `high`; between them lies one change. */
  #change(low: number, high: number): number {
    const after = this.offsetAt(high);
    let [before, at] = [Math.floor(low / MINUTE_MS), Math.ceil(high / MINUTE_MS)];
    while (at - before > 1) {
      const middle = Math.floor((before + at) / 2);
      if (this.offsetAt(middle * MINUTE_MS) === after) at = middle;
      else before = middle;
    }
    return at * MINUTE_MS;
  }
}

function formatOf(timeZone: string): Intl.DateTimeFormat | undefined {
  try {
    return new Intl.DateTimeFormat("en-US", { timeZone, timeZoneName: "longOffset", year: "numeric" });
  } catch {
    return undefined;
  }
}
