/** OBSERVE.md: what was found, the changes to apply, and why each of them. `git apply` reads its diffs and skips the rest. */
import type { Observation, ObservedCall, ObservedEntry, ObservedFile } from "./observe.ts";
import type { Project } from "./project.ts";

export function guideText(observation: Observation, project: Project): string {
  const { pipeline, files, style } = observation;
  const calls = files.flatMap((file) => file.calls);
  const placed = calls.filter(({ unplaced }) => !unplaced);
  const entries = files.flatMap((file) => file.entries);
  return [
    `# Observing \`${pipeline}\``,
    `${count(calls.length, "model call")} found, ${placed.length} of them recorded by the diffs below; ${entriesLine(pipeline, entries)}`,
    `None of your files was changed. This file and \`${style.seam}\` were written; \`rm\` them to undo that.`,
    "## Do this",
    todo(observation),
    "## What changes, and what does not",
    EFFECTS,
    moduleNote(observation),
    "## Why each line",
    ...files.map((file) => fileSection(file)),
    openSection(observation, project),
  ]
    .filter((part) => part !== "")
    .join("\n\n")
    .concat("\n");
}

const EFFECTS = `- Without \`MODELRIG_KEY\` the seam does nothing: no rig is made, nothing is written, nothing is sent, and the pipeline's
  requests, answers and output are the same bytes as before.
- With it, your calls still go where they went, with the clients and keys you have. What they asked and answered is written to
  \`.modelrig/\` and sent to your gateway in the background. A dead gateway delays no call; at the end of the process it is waited for, 5 seconds at most, and what
  was not sent is sent by the next process.
- Nothing in the seam throws into your code. A call that throws is no step; a run that throws has failed. Of a
  call that is tried again, each answer is recorded, with its own latency.
- Figures are those the provider reported to your code; the gateway prices them. A call shows as recorded, not as measured.
- Of prompts and answers a gateway keeps hash and size only, until its org chooses \`"custody": "content"\` (\`PUT /v1/settings\`).`;

function todo({ pipeline, style, files }: Observation): string {
  const extra = files.some(({ calls }) => calls.some(({ unplaced }) => unplaced))
    ? ", then see *By hand* at the end"
    : "";
  return `From this folder:

\`\`\`sh
npm install modelrig
git apply --check OBSERVE.md    # says what does not fit; changes nothing
git apply OBSERVE.md            # applies every diff of this file${extra}
\`\`\`

Then run the pipeline with a gateway to send to (\`npx modelrig dev\` starts one on this machine and prints both):

\`\`\`sh
export MODELRIG_URL=http://127.0.0.1:8787 MODELRIG_KEY=rig_sk_…
npx modelrig doctor             # the key, the gateway, the org
\`\`\`

and look: \`curl -H "Authorization: Bearer $MODELRIG_KEY" "$MODELRIG_URL/v1/runs?pipeline=${encodeURIComponent(pipeline)}"\`.
\`git apply -R OBSERVE.md\` takes the diffs back. To apply one file's: \`git apply --include=${files[0]?.path ?? style.seam} OBSERVE.md\`.`;
}

function moduleNote({ style }: Observation): string {
  if (!style.commonjs && !style.compiledToCommonjs) return "";
  const how = style.commonjs
    ? "Your files use `require`"
    : 'Your package.json does not say `"type": "module"`, so imports are compiled to `require`';
  return `**Node.** ${how}, and modelrig is an ES module: that takes Node 20.19, 22.12 or later${
    style.compiledToCommonjs ? ' (and TypeScript 5.8 or later with `"module": "nodenext"`)' : ""
  }.`;
}

function entriesLine(pipeline: string, entries: readonly ObservedEntry[]): string {
  const placed = entries.filter(({ unplaced }) => !unplaced);
  if (placed.length === 0) return "no entry could be given a run (see the end).";
  return `each call of ${placed.map(({ entry }) => `\`${entry.name}()\``).join(" or ")} becomes a run of \`${pipeline}\`.`;
}

function fileSection({ path, calls, entries, diff }: ObservedFile): string {
  const reasons = [
    ...entries.filter(({ unplaced }) => !unplaced).map(entryReason),
    ...calls.filter(({ unplaced }) => !unplaced).flatMap(callReason),
  ];
  if (diff === undefined || reasons.length === 0) return "";
  return [`### ${path}`, reasons.join("\n"), fenced("diff", diff)].join("\n\n");
}

function entryReason({ entry, line }: ObservedEntry): string {
  const why = entry.exported
    ? "is exported, reaches the calls, and nothing else here that does calls it"
    : "reaches the calls, and nothing else here calls it";
  return `- line ${line}, \`${entry.name}\`: ${why}, so each call of it is one run. Its body is not re-indented, to keep the diff short.`;
}

function callReason({ site, line, stepKey, notes }: ObservedCall): readonly string[] {
  const reader = site.client === "LangChain" ? "watchModels" : site.reader;
  return [
    `- line ${line}, ${site.client} \`${site.method}\` → step \`${stepKey}\`, read by \`${reader}\`${delivered(site.delivery)}`,
    ...(site.servedBy === undefined
      ? ['  - Its provider cannot be read from the code: replace `"unknown"`, or the call has no price.']
      : []),
    ...notes.map((note) => `  - ${note}`),
  ];
}

function delivered(delivery: ObservedCall["site"]["delivery"]): string {
  if (delivery === "whole") return ".";
  if (delivery === "events")
    return "; the stream's events pass through it on their way, and it is recorded when they have ended.";
  return "; recorded when the stream was read to its end, from what it then promises.";
}

/** What the diffs do not do. */
function openSection({ files, outsideFunctions }: Observation, { unreadable }: Project): string {
  const calls = files.flatMap((file) =>
    file.calls.flatMap((call) => (call.unplaced ? [{ path: file.path, call, ...call.unplaced }] : [])),
  );
  const entries = files.flatMap((file) =>
    file.entries.flatMap(({ entry, line, unplaced }) =>
      unplaced ? [{ path: file.path, entry, line, why: unplaced.why }] : [],
    ),
  );
  const parts = [
    ...calls.map(
      ({ path, call: { line, site, stepKey }, why, snippet }) =>
        `- \`${path}:${line}\`, ${site.client} \`${site.method}\` (step \`${stepKey}\`): ${why}. Around it:\n\n${indented(fenced("ts", `${snippet.join("\n")}\n`))}`,
    ),
    ...entries.map(
      ({ path, entry, line, why }) =>
        `- \`${path}:${line}\`, \`${entry.name}\` got no run: ${why}. Where it is called and waited for, write \`await inRun(async () => …)\` around that (from the seam).`,
    ),
    ...outsideFunctions.map(
      ({ site, line }) =>
        `- \`${site.file.path}:${line}\` stands in no function, so it is recorded without a run: put it into an \`async\` function, and call that in \`inRun\`.`,
    ),
    ...unreadable.map(({ path, why }) => `- \`${path}\` could not be read: ${why}`),
  ];
  return parts.length === 0 ? "" : ["## By hand", ...parts].join("\n\n");
}

/** With a fence longer than any within. */
function fenced(language: string, text: string): string {
  const longest = Math.max(2, ...[...text.matchAll(/`+/g)].map(([ticks]) => ticks.length));
  const fence = "`".repeat(longest + 1);
  return `${fence}${language}\n${text}${fence}`;
}

function indented(text: string): string {
  return text.replaceAll(/^(?=.)/gm, "  ");
}

function count(number: number, noun: string): string {
  return `${number} ${noun}${number === 1 ? "" : "s"}`;
}
