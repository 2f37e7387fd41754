/** What the types must allow, and what they must refuse, under exactOptionalPropertyTypes. */
import {
  createRig,
  loadConfigFromEnv,
  type Rig,
  RigConfigError,
  RigError,
  type RigStream,
  type RunResult,
} from "modelrig";

declare const rig: Rig;
declare const maybe: string | undefined;

export async function allowed(): Promise<void> {
  createRig();
  createRig({ ...loadConfigFromEnv(), routesDir: null });
  createRig({ ...loadConfigFromEnv(), expectOrg: maybe, via: "gateway" });
  const whole: RunResult<{ a: number }> = await rig.run<{ a: number }>("r", { input: {}, stepKey: maybe });
  const streamed: RigStream = await rig.run("r", { input: {}, stream: true });
  for await (const piece of streamed) piece.toUpperCase();
  const cost: string | undefined = whole.meta.costUsd;
  const final: RunResult = await streamed.final;
  await rig.runRaw({ provider: "openai", model: "m", messages: [{ role: "user", content: "x" }] });
  await rig.runBundle({ route: "in.code", candidates: [{ provider: "openai", model: "m" }] }, { input: {} });
  const samples = await rig.replay("r", { variant: "cheap", lastN: 50, envelopeUsd: 10 });
  const failureClass: string | undefined = samples[0]?.failureClass;
  const outcome: number = await rig.artifacts.run.scope({ pipeline: "p" }, () => 1);
  void [cost, final, failureClass, outcome, whole.output.a];
  try {
    await rig.run("r", { input: {} });
  } catch (error) {
    if (error instanceof RigError && error.failureClass === "budget_exhausted") void error.resetsAt?.length;
    if (error instanceof RigConfigError) void error.code.length;
  }
}

export async function refused(): Promise<void> {
  // @ts-expect-error -- a route is called with its variables
  await rig.run("r", {});
  // @ts-expect-error -- not a failure class
  if (new RigError({ class: "network", message: "" }).failureClass === "timeout") return;
  // @ts-expect-error -- a grade has a kind
  rig.grade({ kind: "run", id: "x" }, { score: 1 });
  // @ts-expect-error -- an artifact has one of the known types
  rig.artifacts.artifact.save("x", { name: "n", type: "picture" });
  // @ts-expect-error -- a whole answer is no stream
  for await (const _ of await rig.run("r", { input: {} }));
  // @ts-expect-error -- a limit is always named
  await rig.replay("r", { variant: "cheap" });
  // @ts-expect-error -- no other way to send
  createRig({ via: "edge" });
}
