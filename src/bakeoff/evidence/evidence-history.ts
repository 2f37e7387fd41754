/** Where one comparison stands among the looks of its route: since when evidence counts, and what may be spent on it. */
import { SPENDING_DAYS } from "../../stats/alpha-spending.ts";
import { type Agreement, agreementOf, type LookMoments, lookMoments, voidedSince } from "../../stats/contradiction.ts";
import { EvidenceTally, itemsOf } from "./evidence-tally.ts";
import { type ComparisonKey, type LookPair, type LookRecord, pairsOf } from "./look-record.ts";

/** One look at one comparison. */
interface CountedLook {
  readonly look: LookRecord;
  readonly pairs: readonly LookPair[];
  /** Of all its pairs: one value for each customer, run or lone question. */
  readonly items: readonly number[];
}

export interface EvidenceHistory {
  /** Looks that count, oldest first; the last is the one that is decided. */
  readonly looks: readonly CountedLook[];
  readonly tally: EvidenceTally;
  /** Questions of the last look that were not seen before. */
  readonly fresh: number;
  /** Number of the family among the route's (from 1), and how many arms were new in it. */
  readonly family: number;
  readonly familyArms: number;
  /** Whether evidence before these looks was voided: then there is no first look among them. */
  readonly restarted: boolean;
  readonly agreement: Agreement;
}

const DAY_MS = 86_400_000;

/** The looks that count with the newest: those of its last 90 days. */
export function countingLooks(looks: readonly LookRecord[], at: number): LookRecord[] {
  return looks.filter((look) => look.at > at - SPENDING_DAYS * DAY_MS);
}

/** The looks of a route that count, oldest first, worked out for every comparison and limit that is asked for. */
export class RouteEvidence {
  readonly #looks: readonly LookRecord[];
  readonly #level: number;
  readonly #counted = new Map<string, readonly Counted[]>();
  readonly #walks = new Map<number, Walk>();

  /** `level` is the one-sided level of the bound that voids older evidence. */
  constructor(looks: readonly LookRecord[], level: number) {
    this.#looks = looks;
    this.#level = level;
  }

  /** Undefined where the last look does not make the comparison. */
  historyOf(key: ComparisonKey, limit: number): EvidenceHistory | undefined {
    const { families, standing } = this.#walk(limit);
    const own = standing.get(idOf(key)) ?? this.#standingOf(key, limit);
    const { looks, restarted } = own;
    if (looks.length === 0 || looks.at(-1)?.look !== this.#looks.at(-1)) return undefined;
    // Of an arm that cannot be proposed nothing is decided, and nothing is spent on it.
    const { number, arms } = families.findLast(({ members }) => members.has(idOf(key))) ?? { number: 1, arms: 1 };
    const tally = new EvidenceTally();
    let fresh = 0;
    for (const { pairs } of looks) fresh = tally.add(pairs);
    const agreement = agreementOf(looks.map(momentsIn), limit, this.#level);
    return { looks, tally, fresh, family: number, familyArms: arms, restarted, agreement };
  }

  /**
   * Walks all comparisons of challengers at one limit. The route's families are numbered in the order in which they
   * began: challengers that a look was the first to measure are one, and those whose older evidence it voided another,
   * since each restart is one more chance to be wrong.
   */
  #walk(limit: number): Walk {
    const known = this.#walks.get(limit);
    if (known) return known;
    const challengers = new Map<string, ComparisonKey>();
    const starts: { readonly look: LookRecord; readonly keys: readonly ComparisonKey[] }[] = [];
    for (const look of this.#looks) {
      const keys = look.comparisons.filter((one) => one.challenger && !challengers.has(idOf(one)));
      for (const key of keys) challengers.set(idOf(key), key);
      starts.push({ look, keys });
    }
    const standing = new Map([...challengers].map(([id, key]) => [id, this.#standingOf(key, limit)]));
    const families: Family[] = [];
    for (const { look, keys } of starts) {
      const restarted = [...challengers].filter(([id]) => standing.get(id)?.restarts.has(look));
      for (const group of [keys, restarted.map(([, key]) => key)]) {
        if (group.length === 0) continue;
        const arms = new Set(group.map(({ arm }) => arm)).size;
        families.push({ number: families.length + 1, arms, members: new Set(group.map(idOf)) });
      }
    }
    const walk = { families, standing };
    this.#walks.set(limit, walk);
    return walk;
  }

  #standingOf(key: ComparisonKey, limit: number): Standing {
    let looks: readonly Counted[] = [];
    const restarts = new Set<LookRecord>();
    for (const counted of this.#countedLooks(key)) {
      looks = [...looks, counted];
      const since = voidedSince(looks.map(momentsIn), limit, this.#level);
      if (since === undefined) continue;
      looks = looks.slice(since);
      restarts.add(counted.look);
    }
    return { looks, restarts, restarted: restarts.size > 0 };
  }

  #countedLooks(key: ComparisonKey): readonly Counted[] {
    const id = idOf(key);
    const known = this.#counted.get(id);
    if (known) return known;
    const counted = this.#looks.flatMap((look) => {
      const pairs = pairsOf(look, key) ?? [];
      if (pairs.length === 0) return [];
      const items = itemsOf(pairs);
      return [{ look, pairs, items, moments: lookMoments(items) }];
    });
    this.#counted.set(id, counted);
    return counted;
  }
}

interface Counted extends CountedLook {
  readonly moments: LookMoments;
}

interface Standing {
  readonly looks: readonly Counted[];
  /** The looks that voided what came before. */
  readonly restarts: ReadonlySet<LookRecord>;
  readonly restarted: boolean;
}

interface Family {
  readonly number: number;
  readonly arms: number;
  readonly members: ReadonlySet<string>;
}

interface Walk {
  readonly families: readonly Family[];
  readonly standing: ReadonlyMap<string, Standing>;
}

function momentsIn({ moments }: Counted): LookMoments {
  return moments;
}

function idOf({ arm, against, grading }: ComparisonKey): string {
  return `${arm} ${against} ${grading}`;
}
