/** Runs a planned bake-off on this machine, with everything it pays for written down as it happens. */

import type { EvidenceStore } from "../../../bakeoff/evidence/evidence-store.ts";
import type { BakeoffRun } from "../../../bakeoff/execution/bakeoff-run.ts";
import { JUDGE_BOOKS, plantedText, sampleText, spentText, verdictText } from "../../../bakeoff/execution/journal.ts";
import { runBakeoff } from "../../../bakeoff/execution/run-bakeoff.ts";
import type { ExaminationStore } from "../../../bakeoff/judge/examination.ts";
import type { PeopleTable } from "../../../bakeoff/judge/people-table.ts";
import type { BakeoffPlan } from "../../../bakeoff/plan/bakeoff-plan.ts";
import type { JournalPlan } from "../../../bakeoff/plan/journal-plan.ts";
import { reportWithEvidence } from "../../../bakeoff/report/assemble-report.ts";
import type { BakeoffReport } from "../../../bakeoff/report/bakeoff-report.ts";
import { executeCall } from "../../../call/execute.ts";
import type { CallPorts, EnvelopePort } from "../../../call/ports.ts";
import { addUsd, type NanoUsd, nanoUsd } from "../../../money/nano-usd.ts";
import type { RigEnvelopes } from "../../../sdk/calls/machine-envelopes.ts";
import { seededRandom } from "../../../stats/random.ts";
import type { Io } from "../../command.ts";
import type { BakeoffFiles } from "../files/bakeoff-files.ts";
import { readOutputs } from "../files/output-file.ts";
import { openBooks } from "./local-books.ts";
import { startProgress } from "./progress.ts";

export interface MeasuredBakeoff {
  readonly run: BakeoffRun;
  readonly report: BakeoffReport;
}

/** What is remembered beyond one bake-off. */
interface KeptEvidence {
  readonly evidence: EvidenceStore;
  readonly examinations: ExaminationStore;
  readonly people: PeopleTable | undefined;
}

export async function measure(
  io: Io,
  {
    plan,
    journal,
    spentBefore,
  }: { plan: BakeoffPlan; journal: JournalPlan; spentBefore: ReadonlyMap<string, NanoUsd> },
  files: BakeoffFiles,
  host: (envelopes: EnvelopePort) => CallPorts,
  withinOrg: (own: EnvelopePort) => RigEnvelopes,
  { evidence, examinations, people }: KeptEvidence,
): Promise<MeasuredBakeoff> {
  const books = openBooks(io.cwd, plan, spentBefore, files.append);
  const envelopes = withinOrg(books.envelopes);
  const ports = host(envelopes);
  const budget = plan.totalBudget ?? nanoUsd(plan.budgetPerArm * plan.arms.length);
  const total = plan.inputs.length * plan.arms.length;
  const progress = startProgress(
    io,
    { total, budget, done: plan.done, spent: addUsd(...spentBefore.values()) },
    Date.now,
  );
  const onAbort = (): void => {
    progress.end();
    io.stderr.write("stopping; finishing the calls in flight, Ctrl-C again to drop them\n");
  };
  io.signal.addEventListener("abort", onAbort, { once: true });
  // A bill that is unknown counts as its bound, and must still do so after a resume.
  const book = (arm: string, cost: NanoUsd | undefined): void => {
    if (cost === undefined) files.append(spentText(arm, books.spentBy(arm)));
  };
  try {
    const run = await runBakeoff(
      plan,
      {
        execute: (input) => executeCall(input, ports),
        random: seededRandom(journal.seed),
        onOutput: files.outputs.append,
        onSample(sample) {
          files.append(sampleText(sample));
          book(sample.arm, sample.cost);
          progress.onSample(sample);
        },
        judge: {
          now: Date.now,
          outputOf: files.outputs.outputOf,
          onVerdict(verdict) {
            files.append(verdictText(verdict));
            book(JUDGE_BOOKS, verdict.cost);
            progress.onSpent(verdict.cost);
          },
          onPlanted(verdict) {
            files.append(plantedText(verdict));
            book(JUDGE_BOOKS, verdict.cost);
            progress.onSpent(verdict.cost);
          },
          examinations,
        },
      },
      io.signal,
    );
    const { seed, asked, started_at: startedAt } = journal;
    const booked = addUsd(...[...plan.arms.map(({ name }) => name), JUDGE_BOOKS].map(books.spentBy));
    const facts = { asked, seed, startedAt: Date.parse(startedAt), finishedAt: Date.now(), booked, people };
    const outputs = readOutputs(files.outputsPath);
    const prices = { book: ports.prices, at: new Date(facts.finishedAt) };
    return { run, report: await reportWithEvidence(plan, run, { ...facts, outputs, prices }, evidence) };
  } finally {
    io.signal.removeEventListener("abort", onAbort);
    progress.end();
    await envelopes.close();
    books.close();
  }
}
