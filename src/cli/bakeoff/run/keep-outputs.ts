/** `--keep-outputs`: the one way in which text of a bake-off leaves this machine. */
import { keepSamples } from "../../../api/bakeoffs.ts";
import { pathWith } from "../../../api/endpoint.ts";
import type { BakeoffRun } from "../../../bakeoff/execution/bakeoff-run.ts";
import { LONGEST_KEPT, MOST_KEPT_AT_ONCE } from "../../../bakeoff/execution/kept-sample.ts";
import type { BakeoffPlan } from "../../../bakeoff/plan/bakeoff-plan.ts";
import type { SampleOutput } from "../../../bakeoff/ports.ts";
import { canonicalJson } from "../../../route/canonical.ts";
import type { Io } from "../../command.ts";
import type { Gateway } from "../../gateway-client.ts";

/** Sends the outputs of the first `most` inputs that every arm answered; says what, how much and where before it does. */
export async function keepOutputs(
  io: Io,
  gateway: Gateway,
  { plan, run, outputs }: { plan: BakeoffPlan; run: BakeoffRun; outputs: readonly SampleOutput[] },
  most: number,
): Promise<void> {
  const samples = bodyOf(plan, run, outputs, most);
  const fitting = samples.filter(
    ({ request, output }) => request.length <= LONGEST_KEPT && output.length <= LONGEST_KEPT,
  );
  const inputs = new Set(fitting.map(({ input }) => input)).size;
  const bytes = fitting.reduce((sum, { request, output }) => sum + Buffer.byteLength(request + output), 0);
  const path = pathWith(keepSamples.path, { id: plan.id });
  io.stderr.write(
    `keeping for review: ${inputs} inputs with ${fitting.length} outputs, ${Math.ceil(bytes / 1024)} KiB of text → ${gateway.url}${path}\n`,
  );
  if (fitting.length < samples.length)
    io.stderr.write(`left out: ${samples.length - fitting.length} outputs longer than ${LONGEST_KEPT} characters\n`);
  for (let from = 0; from < fitting.length; from += MOST_KEPT_AT_ONCE) {
    const body = { samples: fitting.slice(from, from + MOST_KEPT_AT_ONCE) };
    await gateway.call(keepSamples, { params: { id: plan.id }, body });
  }
}

function bodyOf({ inputs, arms }: BakeoffPlan, run: BakeoffRun, outputs: readonly SampleOutput[], most: number) {
  const key = (input: string, arm: string): string => JSON.stringify([input, arm]);
  const texts = new Map(outputs.map(({ input, arm, output }) => [key(input, arm), output]));
  const quality = new Map(run.samples.map((sample) => [key(sample.input, sample.arm), sample.quality]));
  const whole = inputs.filter(({ id }) => arms.every(({ name }) => texts.has(key(id, name)))).slice(0, most);
  return whole.flatMap(({ id, payload }) =>
    arms.map(({ name }) => {
      const output = texts.get(key(id, name));
      return {
        input: id,
        arm: name,
        request: canonicalJson(payload.kind === "variables" ? payload.variables : payload.request),
        output: typeof output === "string" ? output : JSON.stringify(output),
        ...(quality.get(key(id, name)) && { quality: quality.get(key(id, name)) }),
      };
    }),
  );
}
