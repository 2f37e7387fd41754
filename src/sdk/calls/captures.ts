/** Captures of calls made here: for routes that allow it, on this machine, and nowhere else. */
import { uuidv7 } from "uuidv7";
import type { CaptureStore } from "../../capture/capture-store.ts";
import { NOT_AN_INPUT } from "../../capture/exchange.ts";
import { type Redact, redactor } from "../../capture/redact.ts";
import type { CaptureSettings } from "../../config/config.ts";
import type { FailureClass } from "../../failure/failure.ts";
import type { ProviderTable } from "../../provider/provider.ts";
import { RigError } from "../errors.ts";
import { loadLocalParts } from "../local/load-local-parts.ts";
import { reasonOf, type Warnings } from "../warnings.ts";
import type { RunResult } from "./result.ts";

/** What was asked; the answer follows. */
export interface CapturedCall {
  readonly route: string;
  readonly variant: string;
  readonly variables: Readonly<Record<string, unknown>>;
  readonly tags: Readonly<Record<string, string>>;
}

export interface Captures {
  /** Resolves when it is written; never rejects. */
  answered(call: CapturedCall, result: RunResult): Promise<void>;
  /** Failures are kept too: a replay of successes only would flatter whoever serves. */
  failed(call: CapturedCall, error: unknown): Promise<void>;
  store(): Promise<CaptureStore>;
  close(): void;
}

export function localCaptures(
  cwd: string,
  settings: CaptureSettings,
  providers: ProviderTable,
  warn: Warnings,
  now: () => number,
): Captures {
  let opened: CaptureStore | undefined;
  let redact: Redact | undefined;
  const store = async (): Promise<CaptureStore> => {
    const { openCaptures, retentionOf } = await loadLocalParts();
    if (!opened) {
      opened = openCaptures(cwd);
      opened.prune(retentionOf(settings), now());
    }
    return opened;
  };
  const add = async (
    { route, variant, variables, tags }: CapturedCall,
    answer: {
      readonly inferenceId: string | undefined;
      readonly served?: string | undefined;
      readonly output?: string | undefined;
      readonly outcome: "answered" | FailureClass;
    },
  ): Promise<void> => {
    try {
      redact ??= redactor(settings.redact);
      const [provider = "", ...model] = answer.served?.split("/") ?? [];
      (await store()).add(
        redact({
          id: `cap_${uuidv7()}`,
          at: now(),
          payload: { kind: "variables", variables },
          ...{ route, variant: variant === "default" ? undefined : variant, tags },
          inferenceId: answer.inferenceId,
          output: answer.output,
          outcome: answer.outcome,
          served: answer.served,
          capabilities:
            answer.served === undefined ? undefined : providers.model(provider, model.join("/"))?.capabilities,
        }),
      );
    } catch (cause) {
      warn.once("capture", `calls are not captured: ${reasonOf(cause)}`);
    }
  };
  return {
    async answered(call, { text, meta }) {
      await add(call, { inferenceId: meta.inferenceId, served: meta.served, output: text, outcome: "answered" });
    },
    async failed(call, error) {
      if (!(error instanceof RigError) || NOT_AN_INPUT.has(error.failureClass)) return;
      await add(call, { inferenceId: error.inferenceId ?? undefined, outcome: error.failureClass });
    },
    store,
    close: () => opened?.close(),
  };
}
