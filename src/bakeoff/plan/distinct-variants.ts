import { ok, type Result } from "../../failure/failure.ts";
import type { Route } from "../../route/route.ts";
import { servedDigest } from "../evidence/served-payload.ts";
import { type Arm, armsOf } from "./arm.ts";

interface DistinctVariants {
  readonly variants: readonly string[];
  /** Variants that would be paid for twice: each serves the same as the one it names. */
  readonly same: Readonly<Record<string, string>>;
}

/**
 * Leaves out what serves the same as the incumbent or as a variant before it, under another name. Fallbacks that only
 * the incumbent has behind the variant's own candidates make no difference: making it the default would change nothing.
 */
export async function distinctVariants(
  route: Route,
  asked: readonly string[],
  incumbent: string,
): Promise<Result<DistinctVariants>> {
  const arms = armsOf(route, asked, incumbent);
  if (!arms.ok) return arms;
  const [live] = arms.value;
  const firstOf = new Map<string, string>();
  const same: Record<string, string> = {};
  for (const { name, role, narrowed } of arms.value) {
    const digest = await servedDigest(narrowed);
    const first = live && role !== "incumbent" && (await startsWith(live, narrowed, digest)) ? live.name : undefined;
    const equal = first ?? firstOf.get(digest);
    if (equal === undefined) firstOf.set(digest, name);
    else same[name] = equal;
  }
  return ok({ variants: asked.filter((name) => same[name] === undefined), same });
}

async function startsWith({ narrowed: live }: Arm, { candidates }: Arm["narrowed"], digest: string): Promise<boolean> {
  const front = { ...live, candidates: live.candidates.slice(0, candidates.length) };
  return (await servedDigest(front)) === digest;
}
