/** Where the inputs of a bake-off come from: this machine's captures, or the eval cases of the gateway. */
import { listEvalCases, type ReplayableCase, replayableCases } from "../../../api/eval-cases.ts";
import type { InputSource } from "../../../bakeoff/plan/start-bakeoff.ts";
import type { Capture } from "../../../capture/capture.ts";
import type { CaptureStore } from "../../../capture/capture-store.ts";
import type { DrawnInput } from "../../../replay/draw-inputs.ts";
import { type RecordedInput, recordedInput } from "../../../replay/recorded-input.ts";
import { withoutRepeat } from "../../../replay/repeats.ts";
import type { ReplayInput } from "../../../replay/replay-input.ts";
import type { Route } from "../../../route/route.ts";
import { recordedCase } from "../../../runs/eval-case.ts";
import { CliError, EXIT } from "../../command.ts";
import type { Gateway } from "../../gateway-client.ts";

export interface LocalInputSource extends Omit<InputSource, "hold"> {
  /** What was drawn, one payload in memory at a time. */
  readonly load: (drawn: readonly DrawnInput[]) => Iterable<ReplayInput>;
  /** Mean size of the recorded answers that were looked at, in bytes; undefined where there was none. */
  readonly answerBytes: () => number | undefined;
  /** What to say where it holds nothing. */
  readonly empty: CliError;
}

export function captureSource(route: Route, captures: CaptureStore, last: number): LocalInputSource {
  const answers = { bytes: 0, count: 0 };
  return {
    calls: recordedCaptures(captures.each({ route: route.name }), route, answers),
    what: `the last ${last} captures`,
    *load(drawn) {
      for (const input of drawn) {
        const capture = captures.get(withoutRepeat(input.id));
        // Pruned by another process since it was drawn.
        if (capture) yield { ...input, payload: capture.payload };
      }
    },
    answerBytes: () => (answers.count === 0 ? undefined : answers.bytes / answers.count),
    empty: new CliError("bakeoff.no_captures", `nothing is captured for ${route.name}`, {
      exitCode: EXIT.usage,
      fix: route.capture
        ? "point a client at `modelrig capture` and make some calls"
        : "set `capture: true` in its file, then record calls with `modelrig capture`",
    }),
  };
}

async function* recordedCaptures(
  captures: Iterable<Capture>,
  route: Route,
  answers: { bytes: number; count: number },
): AsyncGenerator<RecordedInput> {
  for (const capture of captures) {
    if (capture.output !== undefined) {
      answers.bytes += Buffer.byteLength(capture.output);
      answers.count += 1;
    }
    yield await recordedInput({ ...capture, failed: capture.outcome !== "answered" }, route);
  }
}

const PAGE = 100;

export function evalCaseSource(task: string, route: Route, gateway: Gateway): LocalInputSource {
  const seen = new Map<string, ReplayableCase>();
  return {
    calls: recordedCases(task, route, gateway, seen),
    what: `eval cases of ${task}`,
    *load(drawn) {
      for (const input of drawn) {
        const found = seen.get(withoutRepeat(input.id));
        if (found) yield { ...input, payload: found.input, golden: found.expected };
      }
    },
    answerBytes() {
      const bytes = [...seen.values()].reduce((sum, { expected }) => sum + JSON.stringify(expected ?? null).length, 0);
      return seen.size === 0 ? undefined : bytes / seen.size;
    },
    empty: new CliError("bakeoff.no_eval_cases", `there are no eval cases of ${task}`, {
      exitCode: EXIT.usage,
      fix: "promote artifacts to eval cases, or write some (POST /v1/eval-cases)",
    }),
  };
}

/** Newest first, page by page for as long as more are wanted. */
async function* recordedCases(
  task: string,
  route: Route,
  gateway: Gateway,
  seen: Map<string, ReplayableCase>,
): AsyncGenerator<RecordedInput> {
  let after: string | null | undefined;
  do {
    const query = { task, limit: PAGE, after: after ?? undefined };
    const page = await gateway.call(listEvalCases, { query, reads: replayableCases });
    for (const row of page.eval_cases) {
      seen.set(row.id, row);
      const createdAt = Date.parse(row.created_at);
      yield await recordedCase({ id: row.id, createdAt, input: row.input, run: row.run ?? undefined }, route);
    }
    after = page.eval_cases.length === 0 ? undefined : page.next;
  } while (after);
}
