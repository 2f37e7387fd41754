/** Where the inputs of a bake-off come from: this machine's captures, or the eval cases of the gateway. */
import { createHash } from "node:crypto";
import { z } from "zod";
import type { Capture } from "../../capture/capture.ts";
import type { CaptureStore } from "../../capture/capture-store.ts";
import {
  type Drawable,
  type Drawn,
  drawInputs,
  repeated,
  type Sampling,
  withoutRepeat,
} from "../../replay/draw-inputs.ts";
import type { ReplayInput } from "../../replay/replay-input.ts";
import { canonicalJson } from "../../route/canonical.ts";
import type { Route } from "../../route/route.ts";
import { replayPayload } from "../../runs/eval-case.ts";
import { CliError, EXIT } from "../command.ts";
import type { Gateway } from "../gateway-client.ts";
import { type BakeoffOptions, tagNamed, usage, wholeNumber } from "./options.ts";

/** Inputs that were found, ready to be written down; payloads are read one at a time. */
export interface FoundInputs {
  readonly inputs: Iterable<ReplayInput>;
  readonly count: number;
  /** Recorded calls asked for. */
  readonly asked: number;
  /** How they were drawn, in words. */
  readonly sampling: string;
  /** Mean size of the recorded answers. */
  readonly answerBytes?: number | undefined;
}

export function captureInputs(options: BakeoffOptions, route: Route, captures: CaptureStore): FoundInputs {
  const last = wholeNumber("--replay-last", options.replayLast);
  const repeats = wholeNumber("--repeats", options.repeats, 1, 100);
  const sampling: Sampling = {
    last,
    stratify: tagNamed("--stratify", options.stratify),
    failuresFirst: options.failuresFirst === true,
  };
  const clusterTag = options.cluster === "run" ? "run" : tagNamed("--cluster", options.cluster);
  const answers = { bytes: 0, count: 0 };
  const drawn = drawInputs(drawables(captures.each({ route: route.name }), clusterTag, answers), sampling);
  if (drawn.length === 0) throw nothingCaptured(route);
  const spread = repeated(drawn, repeats, (input, id, cluster): Drawn => ({ ...input, id, cluster }));
  return {
    inputs: loaded(spread, captures),
    count: spread.length,
    asked: last,
    sampling: samplingText(sampling, drawn, repeats),
    answerBytes: answers.count === 0 ? undefined : answers.bytes / answers.count,
  };
}

function* drawables(
  captures: Iterable<Capture>,
  clusterTag: string | undefined,
  answers: { bytes: number; count: number },
): Generator<Drawable> {
  for (const { id, at, outcome, tags, payload, output } of captures) {
    if (output !== undefined) {
      answers.bytes += Buffer.byteLength(output);
      answers.count += 1;
    }
    const cluster = clusterTag === undefined ? undefined : tags[clusterTag];
    yield { id, at, failed: outcome !== "answered", tags, key: digest(payload), cluster };
  }
}

function* loaded(drawn: readonly Drawn[], captures: CaptureStore): Generator<ReplayInput> {
  for (const { id, at, weight, cluster, item } of drawn) {
    const capture = captures.get(withoutRepeat(id));
    // Pruned by another process since it was drawn.
    if (capture) yield { id, at, payload: capture.payload, ...(weight > 1 && { weight }), cluster, item };
  }
}

function digest(payload: Capture["payload"]): string {
  return createHash("sha256").update(canonicalJson(payload)).digest("base64");
}

function samplingText({ last, stratify, failuresFirst }: Sampling, drawn: readonly Drawn[], repeats: number): string {
  const calls = drawn.reduce((sum, { weight }) => sum + weight, 0);
  const parts = [
    `the last ${last} captures`,
    ...(failuresFirst ? ["failed ones first"] : []),
    ...(stratify === undefined ? [] : [`in turn by tag ${stratify}`]),
    ...(calls > drawn.length ? [`${calls} calls asked ${drawn.length} different inputs`] : []),
    ...(repeats > 1 ? [`each ${repeats} times`] : []),
  ];
  return parts.join(", ");
}

function nothingCaptured(route: Route): CliError {
  return new CliError("bakeoff.no_captures", `nothing is captured for ${route.name}`, {
    exitCode: EXIT.usage,
    fix: route.capture
      ? "point a client at `modelrig capture` and make some calls"
      : "set `capture: true` in its file, then record calls with `modelrig capture`",
  });
}

const evalCasePage = z.object({
  eval_cases: z.array(
    z.object({
      id: z.string(),
      input: replayPayload,
      expected: z.unknown(),
      created_at: z.iso.datetime(),
      run: z.string().nullish(),
    }),
  ),
  next: z.string().nullish(),
});

const PAGE = 100;

/** Newest first, at most `--replay-last` of them. */
export async function evalCaseInputs(options: BakeoffOptions, task: string, gateway: Gateway): Promise<FoundInputs> {
  const last = wholeNumber("--replay-last", options.replayLast);
  const repeats = wholeNumber("--repeats", options.repeats, 1, 100);
  if (options.stratify !== undefined || options.failuresFirst)
    throw usage("--stratify and --failures-first draw from captures; eval cases have neither tags nor failures");
  if (options.cluster !== undefined && options.cluster !== "run")
    throw usage("eval cases have no tags; their clusters are runs: --cluster run");
  const cases = await fetchCases(task, last, gateway);
  if (cases.length === 0) {
    throw new CliError("bakeoff.no_eval_cases", `there are no eval cases of ${task}`, {
      exitCode: EXIT.usage,
      fix: "promote artifacts to eval cases, or write some (POST /v1/eval-cases)",
    });
  }
  const inputs = cases.map(
    ({ id, input, expected, created_at: createdAt, run }): ReplayInput => ({
      id,
      at: Date.parse(createdAt),
      payload: input,
      item: digest(input),
      golden: expected,
      ...(options.cluster === "run" && run ? { cluster: run } : {}),
    }),
  );
  const spread = repeated(inputs, repeats, (input, id, cluster) => ({ ...input, id, cluster }));
  const bytes = cases.reduce((sum, { expected }) => sum + JSON.stringify(expected ?? null).length, 0);
  return {
    inputs: spread,
    count: spread.length,
    asked: last,
    sampling: `eval cases of ${task}${repeats > 1 ? `, each ${repeats} times` : ""}`,
    answerBytes: bytes / cases.length,
  };
}

type EvalCaseRow = z.output<typeof evalCasePage>["eval_cases"][number];

async function fetchCases(task: string, last: number, gateway: Gateway): Promise<EvalCaseRow[]> {
  const found: EvalCaseRow[] = [];
  let after: string | null | undefined;
  do {
    const query = new URLSearchParams({ task, limit: String(Math.min(PAGE, last - found.length)) });
    if (after) query.set("after", after);
    const page = await gateway.json(`/v1/eval-cases?${query}`, evalCasePage.parse);
    found.push(...page.eval_cases);
    after = page.eval_cases.length === 0 ? undefined : page.next;
  } while (after && found.length < last);
  return found;
}
