/** Calls made by the engine in this process. */
import { AnswerAssembler } from "../../call/assemble.ts";
import type { CallBudget, CallInput, CallResult, OutputRule } from "../../call/call.ts";
import { executeCall } from "../../call/execute.ts";
import { judge } from "../../call/output.ts";
import type { CallPorts } from "../../call/ports.ts";
import { rawPolicy } from "../../call/raw-policy.ts";
import { routePolicy } from "../../call/route-policy.ts";
import type { Config } from "../../config/config.ts";
import { claimsFor } from "../../envelope/period.ts";
import { failure } from "../../failure/failure.ts";
import { checkInput } from "../../route/input.ts";
import type { NarrowedRoute } from "../../route/narrow.ts";
import { renderRequest } from "../../route/render.ts";
import type { Route } from "../../route/route.ts";
import { answerText } from "../../wire/chat.ts";
import { openaiChatIngress } from "../../wire/openai-chat/index.ts";
import { LOCAL_ORG } from "../../workspace/local-org.ts";
import { RigError } from "../errors.ts";
import type { BundleHost, RawCall, RouteCall } from "./call-host.ts";
import { errorOf, metaOf, type RunResult } from "./result.ts";
import { narrowed, type Routes } from "./routes.ts";
import type { StreamSource } from "./stream.ts";

const NEVER = new AbortController().signal;

type Streamed = Extract<CallResult, { type: "stream" }>;

export function inProcessHost(ports: CallPorts, config: Config, routes: Routes): BundleHost {
  const budget = (route: Route | undefined, run: string | undefined): CallBudget => {
    const { perCall, ...limits } = route?.budget ?? {};
    const covered = {
      route: route && { name: route.name, ...limits },
      orgPerMonth: config.budget.orgPerMonth,
      run,
    };
    return { perCall, claims: claimsFor(covered, ports.clock.now()) };
  };

  const routeInput = (route: NarrowedRoute, call: Omit<RouteCall, "route" | "variant">, stream: boolean): CallInput => {
    const { template } = route;
    if (!template) {
      const message = `route ${route.route.name} declares no template, so it has nothing to render the input with`;
      throw new RigError(failure("bad_request", message, { param: "input" }));
    }
    const checked = checkInput(route.route, call.input);
    if (!checked.ok) throw new RigError(checked.error);
    const { marks, arm, input, signal } = call;
    return {
      context: {
        org: LOCAL_ORG,
        lane: "live",
        route: route.route.name,
        routeHash: route.route.hash,
        variant: route.variant,
        arm,
        ...marks,
      },
      policy: routePolicy(route, { allowTrial: false, stream: route.route.stream }),
      budget: budget(route.route, marks.run),
      requestFor: (_candidate, capabilities) => {
        const request = renderRequest(template, route.route.input, input, capabilities);
        return request.ok ? { ...request.value, stream, includeUsage: stream } : request.error;
      },
      stream,
      signal: signal ?? NEVER,
    };
  };

  const rawInput = ({ target, body, marks, arm, signal }: RawCall, stream: boolean): CallInput => {
    const key = `${target.provider}/${target.model}`;
    if (!ports.providers.find(target.provider)) {
      const message = `no provider is named ${target.provider}`;
      throw new RigError(failure("bad_request", message, { reason: "model_not_found", param: "provider" }));
    }
    const decoded = openaiChatIngress.decodeRequest({ ...body, model: key, stream });
    if (!decoded.ok) throw new RigError(decoded.error);
    const { request } = decoded.value;
    const policy = rawPolicy(ports.providers, target, request, "live");
    if (!policy.ok) throw new RigError(policy.error);
    return {
      context: { org: LOCAL_ORG, lane: "raw", arm, ...marks },
      policy: policy.value,
      budget: budget(undefined, marks.run),
      requestFor: () => request,
      stream,
      signal: signal ?? NEVER,
    };
  };

  const answer = async (input: CallInput): Promise<RunResult> => {
    const result = await executeCall(input, ports);
    switch (result.type) {
      case "failure":
        throw errorOf(result.failure, result.inference);
      case "answer": {
        const [choice] = result.answer.choices;
        const text = choice ? answerText(choice) : "";
        return { output: result.output === undefined ? text : result.output, text, meta: metaOf(result.inference) };
      }
      case "stream":
        throw new TypeError("a call that was not to be streamed was streamed");
    }
  };

  const stream = async (input: CallInput): Promise<StreamSource> => {
    const result = await executeCall(input, ports);
    if (result.type === "failure") throw errorOf(result.failure, result.inference);
    if (result.type === "answer") throw new TypeError("a call that was to be streamed was not");
    return streamSource(result, input.policy.output);
  };

  const chosen = async ({ route, variant }: RouteCall): Promise<NarrowedRoute> =>
    narrowed(await routes.named(route), variant);
  return {
    run: async (call) => await answer(routeInput(await chosen(call), call, false)),
    stream: async (call) => await stream(routeInput(await chosen(call), call, true)),
    raw: async (call) => await answer(rawInput(call, false)),
    rawStream: async (call) => await stream(rawInput(call, true)),
    runNarrowed: async (route, call) => await answer(routeInput(route, call, false)),
    streamNarrowed: async (route, call) => await stream(routeInput(route, call, true)),
  };
}

function streamSource({ head, frames, done }: Streamed, rule: OutputRule | undefined): StreamSource {
  const assembler = new AnswerAssembler();
  return {
    inferenceId: head.inferenceId,
    served: `${head.served.provider}/${head.served.model}`,
    async read() {
      const batch = await frames.read();
      if (!batch) return undefined;
      const pieces: string[] = [];
      for (const event of batch.flatMap((frame) => frame.events)) {
        assembler.add(event);
        if (event.type === "text-delta" && event.choice === 0 && event.text !== "") pieces.push(event.text);
      }
      return pieces;
    },
    async end() {
      const inference = await done;
      if (inference.failure) throw errorOf(inference.failure, inference);
      const answer = assembler.answer();
      const [choice] = answer.choices;
      const text = choice ? answerText(choice) : "";
      // Judged once already, at its end; here it is read.
      const verdict = rule && judge(answer, rule, inference.rung ?? "none", false);
      const output = verdict?.ok && verdict.output !== undefined ? verdict.output : text;
      return { output, text, meta: metaOf(inference) };
    },
    cancel: () => frames.cancel(),
  };
}
