/** A bake-off that is about to run on this machine: started anew, or taken up where it stopped. */
import { randomInt } from "node:crypto";
import type { BakeoffPlan } from "../../../bakeoff/plan/bakeoff-plan.ts";
import type { JournalPlan } from "../../../bakeoff/plan/journal-plan.ts";
import { startBakeoff } from "../../../bakeoff/plan/start-bakeoff.ts";
import type { CompiledBundle } from "../../../config/config.ts";
import type { NanoUsd } from "../../../money/nano-usd.ts";
import type { Registry } from "../../../registry/capability.ts";
import { openCaptures } from "../../../workspace/local-captures.ts";
import { LOCAL_ORG } from "../../../workspace/local-org.ts";
import type { Io } from "../../command.ts";
import { fetchProposal } from "../../commands/proposals.ts";
import { type GatewayOptions, gatewayFrom } from "../../gateway-client.ts";
import type { BakeoffFiles } from "../files/bakeoff-files.ts";
import { writeInputs } from "../files/input-file.ts";
import { captureSource, evalCaseSource, type LocalInputSource } from "./input-sources.ts";
import { liveVariant } from "./live-variant.ts";
import { type BakeoffOptions, usage } from "./options.ts";
import { journalToResume, requestFromFlags, resumedPlan, routeNamed } from "./request.ts";

export interface Prepared {
  readonly plan: BakeoffPlan;
  readonly journal: JournalPlan;
  /** What the journal of an interrupted run has booked, by arm and for the judge. */
  readonly spentBefore: ReadonlyMap<string, NanoUsd>;
  /** Mean size of the recorded answers, where they were looked at. */
  readonly answerBytes?: number | undefined;
  /** Closes the file that the inputs are read from. */
  readonly close: () => void;
}

export async function prepareNew(
  io: Io,
  options: BakeoffOptions & GatewayOptions,
  bundle: CompiledBundle,
  files: BakeoffFiles,
  { id, registry }: { readonly id: string; readonly registry: Registry },
): Promise<Prepared> {
  const proven = options.fromProposal === undefined ? undefined : await proposalOf(io, options, options.fromProposal);
  const name = options.route ?? proven?.route ?? options.fromEvalCases;
  if (name === undefined) throw usage("--route <name> is needed");
  if (proven && name !== proven.route) throw usage(`proposal ${options.fromProposal} is about ${proven.route}`);
  const route = routeNamed(bundle, name);
  const incumbent = options.incumbent ?? (await liveVariant(io, options, route));
  const fresh = { id, seed: randomInt(1_000_000), now: Date.now(), incumbent, variants: proven?.variants };
  const request = requestFromFlags(options, fresh);
  const captures = openCaptures(io.cwd);
  let close = (): void => undefined;
  try {
    const source: LocalInputSource =
      options.fromEvalCases === undefined
        ? captureSource(route, captures, request.sampling.last)
        : evalCaseSource(options.fromEvalCases, route, gatewayFrom(io, options));
    const hold: Parameters<typeof startBakeoff>[2]["hold"] = (drawn) => {
      writeInputs(files.inputsPath, source.load(drawn));
      const stored = files.readInputs();
      close = stored.close;
      return stored.inputs;
    };
    const started = await startBakeoff(request, route, { ...source, hold }, { org: LOCAL_ORG, registry });
    if (!started.ok) throw started.error.code === "no_inputs" ? source.empty : usage(started.error.message);
    const { plan, journal } = started.value;
    return { plan, journal, spentBefore: new Map(), answerBytes: source.answerBytes(), close };
  } catch (error) {
    close();
    files.removeInputs();
    throw error;
  } finally {
    captures.close();
  }
}

export function prepareResumed(options: BakeoffOptions, bundle: CompiledBundle, files: BakeoffFiles): Prepared {
  const { plan: kept, samples, verdicts, planted, spent } = files.readJournal();
  const journal = journalToResume(options, kept);
  const { inputs, close } = files.readInputs();
  const plan = resumedPlan(journal, bundle, { inputs, done: samples, doneVerdicts: verdicts, donePlanted: planted });
  return { plan, journal, spentBefore: spent, close };
}

async function proposalOf(io: Io, options: GatewayOptions, id: string) {
  const { proposal } = await fetchProposal(gatewayFrom(io, options), id);
  const variant = "evidence" in proposal ? proposal.evidence?.variant : undefined;
  return { route: proposal.route, variants: variant === undefined ? undefined : [variant] };
}
