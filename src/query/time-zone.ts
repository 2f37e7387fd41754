import { QueryRefusal, type Span } from "./fault.ts";

/** From `since` on (epoch milliseconds), local time is UTC plus `offset` milliseconds. */
export interface OffsetPeriod {
  readonly since: number;
  readonly offset: number;
}

const STEP_MS = 7 * 86_400_000;
const DAY_MS = 86_400_000;
const NAME = /^[A-Za-z0-9_+/:-]{1,64}$/;

/** A zone of the IANA database, or an offset such as `+02:00`. */
export class TimeZone {
  readonly name: string;
  readonly #format: Intl.DateTimeFormat | undefined;

  private constructor(name: string, format: Intl.DateTimeFormat | undefined) {
    this.name = name;
    this.#format = format;
  }

  static readonly utc = new TimeZone("UTC", undefined);

  /** Throws `QueryRefusal` for a name the runtime does not know. */
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

  /** Milliseconds that local time is ahead of UTC at an instant. */
  offsetAt(instant: number): number {
    if (!this.#format) return 0;
    const parts: Record<string, number> = {};
    for (const { type, value } of this.#format.formatToParts(instant)) parts[type] = Number(value);
    const { year = 0, month = 1, day = 1, hour = 0, minute = 0, second = 0 } = parts;
    return Date.UTC(year, month - 1, day, hour, minute, second) - Math.floor(instant / 1000) * 1000;
  }

  /**
   * The instant at which clocks show a local time, given as if it were UTC. A time that clocks show twice is the first of
   * the two; one they leap over is as much later as they leap.
   */
  instantOf(local: number): number {
    const before = this.offsetAt(local - DAY_MS);
    const after = this.offsetAt(local + DAY_MS);
    const fits = [local - before, local - after].filter((instant) => instant + this.offsetAt(instant) === local);
    return fits.length > 0 ? Math.min(...fits) : local - before;
  }

  /** Every offset between two instants, oldest first. The first period reaches back without end, the last ahead. */
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

  /** The first instant after `low` that has the offset of `high`; between them lies one change. */
  #change(low: number, high: number): number {
    const after = this.offsetAt(high);
    let [before, at] = [low, high];
    while (at - before > 1) {
      const middle = Math.floor((before + at) / 2);
      if (this.offsetAt(middle) === after) at = middle;
      else before = middle;
    }
    return at;
  }
}

function formatOf(timeZone: string): Intl.DateTimeFormat | undefined {
  try {
    return new Intl.DateTimeFormat("en-US", {
      timeZone,
      calendar: "gregory",
      numberingSystem: "latn",
      hourCycle: "h23",
      year: "numeric",
      month: "numeric",
      day: "numeric",
      hour: "numeric",
      minute: "numeric",
      second: "numeric",
    });
  } catch {
    return undefined;
  }
}
