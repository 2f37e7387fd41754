/** What a report stands on: inputs and their period, served version, prices, looks, and agreement with what serves. */
import type { RegretReport } from "../../bakeoff/analysis/regret-report.ts";
import { modelOf } from "../../bakeoff/report/arm-label.ts";
import type { BakeoffReport } from "../../bakeoff/report/bakeoff-report.ts";
import { percent, signedPoints } from "../../stats/rate-text.ts";

export function provenanceNote({ inputs, sampling, finished_at: at, route_hash: hash, prices }: BakeoffReport): string {
  const day = (iso: string): string => iso.slice(0, 10);
  const period = inputs.oldest && inputs.newest ? `, recorded ${day(inputs.oldest)} to ${day(inputs.newest)}` : "";
  const book = prices ? `; prices ${prices.version} as of ${day(prices.at)}` : "";
  return `measured ${day(at)} on ${sampling.text}${period}; route version ${hash.slice(0, 12)}${book}`;
}

/** The bound that decides, with its level: of all comparisons of an arm the one that is furthest from its limit. */
export function decidingNotes({ regrets, gate }: BakeoffReport): string[] {
  return gate.verdicts.flatMap(({ arm }) => {
    const own = regrets.filter((one) => one.arm === arm && one.estimate !== undefined);
    const room = ({ estimate, limit = 0 }: RegretReport): number => limit - (estimate?.high ?? 1);
    const [worst] = [...own].sort((a, b) => room(a) - room(b));
    if (!worst?.estimate) return [];
    const { high, level, descriptive } = worst.estimate;
    const fresh = worst.evidence?.fresh ?? 0;
    return [
      `${arm}: the bound that decides is ${signedPoints(high)} pts against ${modelOf(worst.against)} by ${worst.metric} (one-sided ${Number((100 * level).toPrecision(3))}%; ${worst.n_paired} pairs in all, ${fresh} of them of fresh questions); descriptive 95% interval [${signedPoints(descriptive.low)},${signedPoints(descriptive.high)}]`,
    ];
  });
}

/** Oldest first; nothing of a first look, which the table shows. */
export function lookNotes({ regrets, gate }: BakeoffReport): string[] {
  return gate.verdicts.flatMap(({ arm }) => {
    const shown = regrets.find((one) => one.arm === arm && (one.evidence?.trajectory.length ?? 0) > 1);
    return (shown?.evidence?.trajectory ?? []).map(
      ({ at, mean, low, high, questions, fresh }, index) =>
        `${arm} look ${index + 1}, ${at.slice(0, 10)}: ${signedPoints(mean)} [${signedPoints(low)},${signedPoints(high)}] pts, ${questions} questions, ${fresh} fresh`,
    );
  });
}

const MOST_NAMED = 3;

export function fieldNotes({ fields = [], gate, incumbent }: BakeoffReport): string[] {
  return gate.verdicts.flatMap(({ arm }) => {
    const own = fields.filter((field) => field.arm === arm);
    const whole = own.find(({ path }) => path === "");
    if (!whole) return [];
    const texts = own
      .filter(({ path, agree, n }) => path !== "" && agree < n)
      .slice(0, MOST_NAMED)
      .map(({ path, agree, n, low, high }) => `${path} ${agree} of ${n} [${percent(low)},${percent(high)}]`);
    const least = texts.length === 0 ? "" : `; least at ${texts.join(", ")}`;
    return [
      `${arm} says the same as ${incumbent} on ${whole.agree} of ${whole.n} inputs, ${percent(whole.rate)}% [${percent(whole.low)},${percent(whole.high)}] (95%)${least}`,
    ];
  });
}
