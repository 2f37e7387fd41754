/** OBSERVE.md: the clients that were found and the changes that watch them. `git apply` reads its diffs and skips the rest. */
import type { Observation } from "./observe.ts";
import type { Project } from "./project.ts";
import { lineOf } from "./syntax.ts";
import { SDK_PACKAGE, watchOptions } from "./watching.ts";

export function guideText({ pipeline, files }: Observation, { unreadable }: Project): string {
  const sites = files.flatMap(({ path, sites: here }) => here.map((site) => ({ path, ...site })));
  const placed = sites.filter(({ byHand }) => byHand === undefined);
  const options = watchOptions(pipeline, (text) => JSON.stringify(text));
  const byHand = [
    ...sites.flatMap(({ path, node, client, watcher, byHand: why }) =>
      why === undefined
        ? []
        : [`- \`${path}:${lineOf(node)}\`, ${client} (\`${watcher}(…, observerRig(), ${options})\`): ${why}.`],
    ),
    ...unreadable.map(({ path, why }) => `- \`${path}\` could not be read: ${why}`),
  ];
  return [
    `# Observing \`${pipeline}\``,
    `${sites.length} model client${sites.length === 1 ? "" : "s"} found; the diffs below watch ${placed.length} of them. This file is all that was written.`,
    todo(),
    EFFECTS,
    runs(pipeline),
    "## The changes",
    ...files.flatMap(({ path, diff, sites: here }) => {
      if (diff === undefined) return [];
      const lines = here.flatMap(({ node, client, watcher, byHand: why }) =>
        why === undefined ? [`- line ${lineOf(node)}, ${client}: watched by \`${watcher}\``] : [],
      );
      return [`### ${path}`, lines.join("\n"), fenced("diff", diff)];
    }),
    ...(byHand.length > 0 ? ["## By hand", byHand.join("\n")] : []),
  ]
    .join("\n\n")
    .concat("\n");
}

function todo(): string {
  return `## Do this

\`\`\`sh
npm install ${SDK_PACKAGE}
git apply --check OBSERVE.md    # says what does not fit; changes nothing
git apply OBSERVE.md            # applies every diff of this file; git apply -R takes them back
\`\`\`

Then run the pipeline with a gateway to send to (\`npx modelrig dev\` starts one on this machine and prints both):

\`\`\`sh
export MODELRIG_URL=http://127.0.0.1:8787 MODELRIG_KEY=rig_sk_…
\`\`\`

and look:

\`\`\`sh
npx modelrig query "SELECT tag.pipeline, count(*), sum(cost) FROM inferences GROUP BY tag.pipeline"
\`\`\``;
}

const EFFECTS = `## What changes, and what does not

- Without \`MODELRIG_KEY\` nothing is recorded or sent, and the clients stay as they are.
- With it, requests go where they went, and answers, errors and streams reach your code as they did. Each request is recorded
  when its answer has been read: tokens, cost, latency, and what was asked and answered. Records go to \`.modelrig/\` and from
  there to your gateway in the background. A dead gateway delays no call.
- Nothing here throws into your code.
- Of what was asked and answered a gateway keeps hash and size only, until its org chooses \`"custody": "content"\`
  (\`PUT /v1/settings\`). Strike \`artifacts: true\` where it should not leave this machine at all.
- A chat stream of OpenAI has its usage only where the request asks for it (\`stream_options: { include_usage: true }\`).`;

function runs(pipeline: string): string {
  return `## Runs and steps

Calls carry the tag \`pipeline\`. To see one execution of the pipeline as a run, put this around it; steps are named by \`stepKey\`
among the options of a client:

\`\`\`ts
await observerRig().artifacts.run.scope({ pipeline: ${JSON.stringify(pipeline)} }, async () => {
  // the pipeline
});
\`\`\``;
}

/** With a fence longer than any within. */
function fenced(language: string, text: string): string {
  const longest = Math.max(2, ...[...text.matchAll(/`+/g)].map(([ticks]) => ticks.length));
  const fence = "`".repeat(longest + 1);
  return `${fence}${language}\n${text}${fence}`;
}
