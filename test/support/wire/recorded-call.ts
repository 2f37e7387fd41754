import type { DialectName } from "../../../src/wire/chat.ts";

/** What a recorded exchange amounts to, by the decoders that are tested against the raw payloads elsewhere. */
export interface RecordedCall {
  readonly key: string;
  readonly dialect: DialectName;
  readonly stream: boolean;
  readonly baseUrl: string;
  readonly text: string;
  readonly calls: readonly { readonly name: string; readonly arguments: string }[];
  readonly input: number | undefined;
  readonly output: number | undefined;
  /** What the provider says it charged, in dollars. */
  readonly reportedUsd: number | undefined;
  /** Whether passes of other models or tools of the provider are billed with it. */
  readonly unpriced: boolean;
  /** Class of the failure; `content_filter` also of a refusal that came as an answer. */
  readonly failureClass: string | undefined;
  readonly refused: boolean;
}

declare module "vitest" {
  export interface ProvidedContext {
    recordedCalls: RecordedCall[];
  }
}
