/** A call from another tool's file, before it belongs to a route. */
import type { JsonRecord } from "../../json/record.ts";
import type { ReplayPayload } from "../../replay/replay-payload.ts";
import type { Capture } from "../capture.ts";

export interface ImportedCall {
  readonly payload: ReplayPayload;
  readonly output: string | undefined;
  readonly outcome: Capture["outcome"];
  /** Epoch milliseconds; `undefined` = the file does not say when. */
  readonly at: number | undefined;
  readonly served: string | undefined;
  readonly tags: Readonly<Record<string, string>>;
}

/** `passed`: the entry is no call of a chat model, so there is nothing to capture and nothing wrong with it. */
export type ImportReading =
  | { readonly type: "call"; readonly call: ImportedCall }
  | { readonly type: "passed"; readonly why: string }
  | { readonly type: "refused"; readonly why: string };

export const refusedEntry = (why: string): ImportReading => ({ type: "refused", why });
export const passedEntry = (why: string): ImportReading => ({ type: "passed", why });

/** What the import knows about the route that the calls go to. */
export interface ImportTarget {
  /** The route renders a template, so variables are its input. */
  readonly hasTemplate: boolean;
}

/** The files that one tool writes. */
export interface ImportFormat {
  readonly name: string;
  /** Says whether an entry looks like one of this tool's. */
  readonly recognises: (entry: JsonRecord) => boolean;
  /** The calls inside one document, where the tool writes them nested; absent = the entry is the call. */
  readonly unfold?: (entry: JsonRecord) => readonly unknown[] | undefined;
  /** Entries with an equal key are the request and the answer of one call, in whatever files they are. */
  readonly joinKey?: (entry: JsonRecord) => string | undefined;
  readonly read: (entry: JsonRecord, target: ImportTarget) => ImportReading;
}
