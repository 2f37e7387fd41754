/** What the looks at one comparison add up to: its family, the items that count once, and since when they count. */
import { SPENDING_DAYS } from "../../stats/alpha-spending.ts";
import { type Agreement, agreementOf, type LookMoments, lookMoments, voidedSince } from "../../stats/contradiction.ts";
import type { AskedQuestion } from "../../stats/traffic-regret.ts";
import { type ComparisonKey, type LookPair, type LookRecord, pairsOf, sameComparison } from "./look-record.ts";

interface LookItems {
  readonly bakeoff: string;
  readonly at: number;
  /** Questions paired in this look, and how many of them were not seen before. */
  readonly questions: number;
  readonly fresh: number;
  /** Mean of all its pairs, one value for each customer, run or lone question. */
  readonly items: readonly number[];
  /** The same of what was not seen before, neither the question nor its customer. */
  readonly freshItems: readonly number[];
}

export interface EvidenceHistory {
  /** Looks that count, oldest first; the last is the one that is decided. */
  readonly looks: readonly LookItems[];
  /** Number of the family among the route's (from 1), and how many arms were new in it. */
  readonly family: number;
  readonly familyArms: number;
  /** Whether evidence before these looks was voided: then there is no first look among them. */
  readonly restarted: boolean;
  readonly agreement: Agreement;
  /** All questions of the looks that count, with the newest weight of each and every time they were asked. */
  readonly questions: readonly AskedQuestion[];
  /** The same as it stood after the first `count` of its looks. */
  readonly until: (count: number) => EvidenceHistory;
}

const DAY_MS = 86_400_000;

/** The looks that count with the newest: those of its last 90 days. */
export function countingLooks(looks: readonly LookRecord[], at: number): LookRecord[] {
  return looks.filter((look) => look.at > at - SPENDING_DAYS * DAY_MS);
}

/**
 * Walks a route's looks, oldest first, and answers where `key` stands at the last of them for this `limit`. `level` is
 * the one-sided level of the bound that voids older evidence. Undefined where the last look does not make the comparison.
 */
export function historyOf(
  looks: readonly LookRecord[],
  key: ComparisonKey,
  limit: number,
  level: number,
): EvidenceHistory | undefined {
  const families = familiesOf(looks);
  let family = familyAt(families, looks, key);
  if (family === undefined) return undefined;
  let own: OwnLook[] = [];
  let restarts = 0;
  for (const look of looks) {
    const pairs = pairsOf(look, key);
    if (!pairs || pairs.length === 0) continue;
    const items = itemsOf(pairs);
    own.push({ look, pairs, items, moments: lookMoments(items) });
    const voided = voidedSince(own.map(momentsIn), limit, level);
    if (voided === undefined) continue;
    own = own.slice(voided);
    restarts += 1;
  }
  if (own.at(-1)?.look !== looks.at(-1)) return undefined;
  // Each restart is one more chance to be wrong, and is paid for as a further family of the route.
  if (restarts > 0) family = { number: families.length + restarts, arms: 1 };
  const { number, arms } = family;
  const standing = (counted: readonly OwnLook[]): EvidenceHistory => ({
    looks: lookItems(counted),
    family: number,
    familyArms: arms,
    restarted: restarts > 0,
    agreement: agreementOf(counted.map(momentsIn), limit, level),
    questions: askedQuestions(counted),
    until: (count) => standing(counted.slice(0, count)),
  });
  return standing(own);
}

interface OwnLook {
  readonly look: LookRecord;
  readonly pairs: readonly LookPair[];
  readonly items: readonly number[];
  readonly moments: LookMoments;
}

function momentsIn({ moments }: OwnLook): LookMoments {
  return moments;
}

type Family = readonly ComparisonKey[];

/** The comparisons of challengers that each look was the first to make; looks without any make no family. */
function familiesOf(looks: readonly LookRecord[]): Family[] {
  const known: ComparisonKey[] = [];
  return looks.flatMap((look) => {
    const fresh = look.comparisons.filter(
      (one) => one.challenger && !known.some((before) => sameComparison(before, one)),
    );
    known.push(...fresh);
    return fresh.length > 0 ? [fresh] : [];
  });
}

function familyAt(
  families: readonly Family[],
  looks: readonly LookRecord[],
  key: ComparisonKey,
): { readonly number: number; readonly arms: number } | undefined {
  const index = families.findIndex((family) => family.some((one) => sameComparison(one, key)));
  const arms = new Set(families[index]?.map(({ arm }) => arm)).size;
  if (index >= 0) return { number: index + 1, arms };
  // Of an arm that cannot be proposed nothing is decided, and nothing is spent on it.
  const isMade = looks.at(-1)?.comparisons.some((one) => sameComparison(one, key));
  return isMade ? { number: 1, arms: 1 } : undefined;
}

function lookItems(own: readonly OwnLook[]): LookItems[] {
  const seen = new Set<string>();
  return own.map(({ look: { bakeoff, at }, pairs, items }) => {
    const fresh = pairs.filter(({ question }) => !seen.has(questionId(question)));
    const freshItems = itemsOf(fresh.filter(({ cluster }) => cluster === undefined || !seen.has(clusterId(cluster))));
    for (const { question, cluster } of pairs) {
      seen.add(questionId(question));
      if (cluster !== undefined) seen.add(clusterId(cluster));
    }
    return { bakeoff, at, questions: pairs.length, fresh: fresh.length, items, freshItems };
  });
}

/** One difference for each customer or run, and for each question that stands alone: the mean of its questions. */
function itemsOf(pairs: readonly LookPair[]): number[] {
  const items = new Map<string, { sum: number; n: number }>();
  for (const { question, cluster, differences } of pairs) {
    const id = cluster === undefined ? questionId(question) : clusterId(cluster);
    const item = items.get(id) ?? { sum: 0, n: 0 };
    items.set(id, { sum: item.sum + meanOf(differences), n: item.n + 1 });
  }
  return [...items.values()].map(({ sum, n }) => Math.max(-1, Math.min(1, sum / n)));
}

function askedQuestions(own: readonly OwnLook[]): AskedQuestion[] {
  const asked = new Map<string, AskedQuestion>();
  for (const { pairs } of own) {
    for (const { question, differences, weight, cluster } of pairs) {
      const before = asked.get(question)?.differences ?? [];
      asked.set(question, { question, weight, cluster, differences: [...before, ...differences] });
    }
  }
  return [...asked.values()];
}

function questionId(question: string): string {
  return `q:${question}`;
}

function clusterId(cluster: string): string {
  return `c:${cluster}`;
}

function meanOf(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0) / values.length;
}
