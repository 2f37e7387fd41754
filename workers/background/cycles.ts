/** The cron table. A test holds it equal to wrangler.toml. */
export const CYCLES = {
  /** Hourly: reconciles reservations whose end was never reported, redrives the telemetry dead letters. */
  upkeep: "7 * * * *",
} as const;

type CycleName = keyof typeof CYCLES;

export function cycleOf(cron: string): CycleName | undefined {
  return (Object.keys(CYCLES) as CycleName[]).find((name) => CYCLES[name] === cron);
}
