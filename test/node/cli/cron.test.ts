import { describe, expect, test } from "vitest";
import { cronMatches } from "../../../src/cli/dev/cron.ts";

const at = (text: string): Date => new Date(`${text}Z`);

describe("a cron expression", () => {
  test.each([
    ["7 * * * *", "2026-11-29T13:07:00", true],
    ["7 * * * *", "2026-11-29T13:08:00", false],
    ["*/15 * * * *", "2026-11-29T13:45:00", true],
    ["*/15 * * * *", "2026-11-29T13:46:00", false],
    ["0 3 * * 0", "2026-11-29T03:00:00", true], // a Sunday
    ["0 3 * * 7", "2026-11-29T03:00:00", true],
    ["0 3 * * 1-5", "2026-11-29T03:00:00", false],
    ["0 3 1,29 * *", "2026-11-29T03:00:00", true],
    ["0 3 1 * 0", "2026-11-29T03:00:00", true], // either day field
    ["10-20/5 * * * *", "2026-11-29T03:15:00", true],
    ["10-20/5 * * * *", "2026-11-29T03:25:00", false],
    ["nonsense", "2026-11-29T03:25:00", false],
  ])("%s at %s: %s", (expression, time, expected) => {
    expect(cronMatches(expression, at(time))).toBe(expected);
  });
});
