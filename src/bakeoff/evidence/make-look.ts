/** The look that a bake-off takes: its pairs as figures under digests. */
import type { PairedInput } from "../analysis/scores.ts";
import type { ComparisonKey, ComparisonLook, LookRecord } from "./look-record.ts";

export interface Comparison {
  readonly key: ComparisonKey;
  readonly challenger: boolean;
  readonly pairs: readonly PairedInput[];
}

interface LookFacts {
  readonly route: string;
  readonly bakeoff: string;
  /** Epoch milliseconds. */
  readonly at: number;
  /** Key of the digests. */
  readonly salt: string;
}

/** Questions keep the order in which they first appear; repeats of one are a list under it. */
export async function makeLook(comparisons: readonly Comparison[], facts: LookFacts): Promise<LookRecord> {
  const asked = new Map<string, { readonly weight: number; readonly cluster: string | undefined }>();
  for (const { pairs } of comparisons) {
    for (const { question, weight = 1, cluster } of pairs) asked.set(question, { weight, cluster });
  }
  const clusters = [...new Set([...asked.values()].flatMap(({ cluster }) => cluster ?? []))];
  const digestOf = await digester(facts.salt);
  const questions = [...asked.keys()];
  return {
    version: 1,
    route: facts.route,
    bakeoff: facts.bakeoff,
    at: facts.at,
    questions: await Promise.all(questions.map(digestOf)),
    weights: questions.map((question) => asked.get(question)?.weight ?? 1),
    members: questions.map((question) => clusters.indexOf(asked.get(question)?.cluster ?? "")),
    clusters: await Promise.all(clusters.map(digestOf)),
    comparisons: comparisons.map(({ key, challenger, pairs }) => {
      return { ...key, challenger, differences: differencesOf(questions, pairs) };
    }),
  };
}

function differencesOf(questions: readonly string[], pairs: readonly PairedInput[]): ComparisonLook["differences"] {
  const byQuestion = new Map<string, number[]>();
  for (const { question, d } of pairs) byQuestion.set(question, [...(byQuestion.get(question) ?? []), d]);
  return questions.map((question) => {
    const found = byQuestion.get(question) ?? [];
    return found.length > 1 ? found : (found[0] ?? null);
  });
}

/** HMAC-SHA-256 under the salt, the first 16 bytes in base64url: without the salt nobody can try texts against it. */
async function digester(salt: string): Promise<(text: string) => Promise<string>> {
  const encoder = new TextEncoder();
  const algorithm = { name: "HMAC", hash: "SHA-256" };
  const key = await crypto.subtle.importKey("raw", encoder.encode(`modelrig:${salt}`), algorithm, false, ["sign"]);
  return async (text) => {
    const digest = new Uint8Array(await crypto.subtle.sign("HMAC", key, encoder.encode(text)), 0, 16);
    return btoa(String.fromCharCode(...digest))
      .replaceAll("+", "-")
      .replaceAll("/", "_")
      .replace(/=+$/, "");
  };
}
