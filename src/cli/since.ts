/** Ranges of time as commands take them. */
import { CliError, EXIT } from "./command.ts";

const UNIT_MS = { s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000, w: 604_800_000 } as const;

/** What a flag that takes a time says in its help. */
export const TIME_HELP = "ISO 8601, or back from now: 30m, 24h, 7d, 2w";

/**
 * Reads `--since` and the like: ISO 8601 (without an offset: UTC), or so long before `now` (`30m`, `24h`, `7d`, `2w`).
 * Returns ISO 8601 in UTC. Fails with a `CliError` that names the flag.
 */
export function timeFrom(flag: string, text: string, now: number): string {
  const back = /^(\d{1,6})([smhdw])$/.exec(text);
  const unit = back?.[2] as keyof typeof UNIT_MS | undefined;
  const dated = /^\d{4}-\d{2}-\d{2}(T\d{2}:\d{2}(:\d{2}(\.\d{1,3})?)?(Z|[+-]\d{2}:\d{2})?)?$/.test(text);
  const zoned = !dated || /(Z|T.*[+-]\d{2}:\d{2})$/.test(text) || !text.includes("T") ? text : `${text}Z`;
  const at = unit === undefined ? (dated ? Date.parse(zoned) : Number.NaN) : now - Number(back?.[1]) * UNIT_MS[unit];
  if (at >= 0 && Number.isFinite(at)) return new Date(at).toISOString();
  throw new CliError("cli.usage", `${flag} cannot be ${JSON.stringify(text)}`, {
    exitCode: EXIT.usage,
    fix: `${flag} takes ${TIME_HELP}`,
  });
}
