/** How a caller books what it does: tags, run and step, with what the run around it gives. */

import { isTagName, isTagValue, MOST_TAGS } from "../intake/tag-rule.ts";
import { ID_PATTERN } from "../route/identifier.ts";
import type { RunContext } from "./run-context.ts";
import type { Warnings } from "./warnings.ts";

export interface MarkOptions {
  /** Names by letters, digits, `_ . -`; at most 32, values of at most 200 characters. They win over the run's. */
  readonly tags?: Readonly<Record<string, string>> | undefined;
  /** The named stage of the run. */
  readonly stepKey?: string | undefined;
  /** Id of a run; default: the run around the call. */
  readonly run?: string | undefined;
}

export interface Marks {
  readonly tags: Readonly<Record<string, string>>;
  readonly run: string | undefined;
  readonly step: string | undefined;
}

/** Tags the SDK itself stands for: the run and the step travel as such. */
const RESERVED: ReadonlySet<string> = new Set(["run_id", "step"]);

/** Never throws: what does not fit is left out, and said once. */
export function marksOf(options: MarkOptions, context: RunContext, warn: Warnings): Marks {
  const ambient = context.current();
  const inherited = options.run === undefined || options.run === ambient?.id ? ambient : undefined;
  return {
    tags: tagsOf({ ...inherited?.tags, ...options.tags }, warn),
    run: idOf("run", options.run, warn) ?? ambient?.id,
    step: idOf("stepKey", options.stepKey, warn),
  };
}

export function tagsOf(asked: Readonly<Record<string, unknown>>, warn: Warnings): Readonly<Record<string, string>> {
  const kept: [string, string][] = [];
  for (const [name, value] of Object.entries(asked)) {
    if (RESERVED.has(name)) {
      warn.once(`tag:${name}`, `the tag ${name} is reserved and was left out: the SDK keeps runs and steps itself`);
    } else if (!isTagName(name) || !isTagValue(value)) {
      warn.once("tag", `a tag that does not fit was left out: ${JSON.stringify(name.slice(0, 80))}`);
    } else if (kept.length === MOST_TAGS) {
      warn.once("tags", `of more than ${MOST_TAGS} tags the rest was left out`);
    } else {
      kept.push([name, value]);
    }
  }
  return Object.fromEntries(kept);
}

function idOf(what: string, value: string | undefined, warn: Warnings): string | undefined {
  if (value === undefined || value === "") return undefined;
  if (typeof value === "string" && ID_PATTERN.test(value)) return value;
  warn.once(what, `a ${what} must match ${ID_PATTERN.source}; it was left out`);
  return undefined;
}
