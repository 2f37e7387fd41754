/** Does a five-field cron expression (`*`, numbers, lists, ranges, steps; UTC) name this minute? */
export function cronMatches(expression: string, at: Date): boolean {
  const [minute, hour, day, month, weekday] = expression.trim().split(/\s+/);
  const dayMatches = fieldMatches(day, at.getUTCDate(), 1);
  const weekdayMatches =
    fieldMatches(weekday, at.getUTCDay(), 0) || (at.getUTCDay() === 0 && fieldMatches(weekday, 7, 0));
  // Where both day fields are restricted, either may match: the rule of every cron since Vixie's.
  const eitherDay = day !== "*" && weekday !== "*" ? dayMatches || weekdayMatches : dayMatches && weekdayMatches;
  return (
    fieldMatches(minute, at.getUTCMinutes(), 0) &&
    fieldMatches(hour, at.getUTCHours(), 0) &&
    fieldMatches(month, at.getUTCMonth() + 1, 1) &&
    eitherDay
  );
}

function fieldMatches(field: string | undefined, value: number, first: number): boolean {
  return (field ?? "").split(",").some((part) => {
    const match = /^(?:\*|(\d+)(?:-(\d+))?)(?:\/(\d+))?$/.exec(part);
    if (!match) return false;
    const [, from, to, step] = match;
    const low = from === undefined ? first : Number(from);
    const high =
      to !== undefined ? Number(to) : from !== undefined && step === undefined ? low : Number.MAX_SAFE_INTEGER;
    return value >= low && value <= high && (value - low) % Number(step ?? 1) === 0;
  });
}

/** Fires `run` for each expression at the start of each minute that it names, until stopped. */
export function runCrons(expressions: readonly string[], run: (cron: string, at: Date) => void): { stop(): void } {
  let timer: NodeJS.Timeout | undefined;
  const arm = (): void => {
    timer = setTimeout(
      () => {
        const at = new Date();
        for (const expression of expressions) if (cronMatches(expression, at)) run(expression, at);
        arm();
      },
      60_000 - (Date.now() % 60_000),
    );
    timer.unref();
  };
  arm();
  return { stop: () => clearTimeout(timer) };
}
