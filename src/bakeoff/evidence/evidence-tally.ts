/** What looks at one comparison add up to, one after the other: items that count once, and questions with their weights. */
import { addDifference, type CountedDifferences } from "../../stats/betting-bound.ts";
import type { AskedQuestion } from "../../stats/traffic-regret.ts";
import type { LookPair } from "./look-record.ts";

export class EvidenceTally {
  readonly #items = new Map<number, number>();
  readonly #asked = new Map<string, AskedQuestion & { differences: number[]; weight: number }>();
  readonly #customers = new Set<string>();

  /** Independent items: each question, customer and run counts as it was when it was first seen. */
  get items(): CountedDifferences {
    return this.#items;
  }

  /** Every question with all its differences. Its weight is that of all looks: each of them is a part of the traffic. */
  get questions(): readonly AskedQuestion[] {
    return [...this.#asked.values()];
  }

  /** Adds a look; returns the number of its questions that were not seen before. */
  add(pairs: readonly LookPair[]): number {
    const fresh = pairs.filter(({ question }) => !this.#asked.has(question));
    const unseen = fresh.filter(({ cluster }) => cluster === undefined || !this.#customers.has(cluster));
    for (const d of itemsOf(unseen)) addDifference(this.#items, d);
    for (const { question, differences, weight, cluster } of pairs) {
      const known = this.#asked.get(question);
      if (!known) this.#asked.set(question, { question, differences: [...differences], weight, cluster });
      else {
        known.differences.push(...differences);
        known.weight += weight;
      }
      if (cluster !== undefined) this.#customers.add(cluster);
    }
    return fresh.length;
  }
}

/** One difference for each customer or run, and for each question that stands alone: the mean of its questions. */
export function itemsOf(pairs: readonly LookPair[]): number[] {
  const alone: number[] = [];
  const customers = new Map<string, { sum: number; n: number }>();
  for (const { cluster, differences } of pairs) {
    const d = meanOf(differences);
    if (cluster === undefined) alone.push(d);
    else {
      const { sum, n } = customers.get(cluster) ?? { sum: 0, n: 0 };
      customers.set(cluster, { sum: sum + d, n: n + 1 });
    }
  }
  return [...alone, ...Array.from(customers.values(), ({ sum, n }) => Math.max(-1, Math.min(1, sum / n)))];
}

function meanOf(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0) / values.length;
}
