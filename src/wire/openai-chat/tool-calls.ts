/**
 * Joins the fragments of streamed tool calls. Providers disagree on what names a call: the index is missing, always 0,
 * starts at 1 or differs between a call's start and its arguments; ids repeat on every fragment or never come.
 */
import { type JsonRecord, numberAt, stringAt } from "../../json/record.ts";
import { generatedCallId } from "../generated-call-id.ts";
import { calledTool, thoughtSignature } from "./content.ts";

interface OpenCall {
  /** Counts the calls of a choice from 0: what the client sees, whatever the upstream said. */
  readonly index: number;
  readonly id: string;
  readonly name: string;
  readonly signature: string | undefined;
  /** A custom tool takes free text instead of JSON. */
  readonly custom: boolean;
  /** Some argument text came. */
  argued: boolean;
  /** The argument text so far ends an object. */
  closed: boolean;
}

export interface CallFragment {
  readonly call: OpenCall;
  /** This fragment began the call. */
  readonly opened: boolean;
  readonly arguments: string;
}

export class ToolCallJoiner {
  readonly calls: OpenCall[] = [];
  readonly #choice: number;
  readonly #byIndex = new Map<number, OpenCall>();
  /** A start without a name waits for it. */
  #nameless: { readonly index: number | undefined; readonly id: string } | undefined;
  /** Argument fragments were seen at an index that no call began at. */
  #indexesLie = false;

  constructor(choice: number) {
    this.#choice = choice;
  }

  /** Undefined where the fragment is empty so far; `"orphan"` where arguments belong to no call. */
  join(fragment: JsonRecord, answerId: string | undefined): CallFragment | "orphan" | undefined {
    const { custom, record, name: named } = calledTool(fragment);
    const index = numberAt(fragment, "index");
    const id = stringAt(fragment, "id") || undefined;
    const name = named || undefined;
    const text = argumentPiece(record?.[custom ? "input" : "arguments"]);

    const known = this.#continues(index, id, name, text);
    if (known) return this.#append(known, false, text);
    const waiting = this.#nameless;
    if (name === undefined) {
      if (text !== "") return "orphan";
      if (id !== undefined) this.#nameless = { index, id };
      return undefined;
    }
    this.#nameless = undefined;
    const call: OpenCall = {
      index: this.calls.length,
      id: id ?? waiting?.id ?? generatedCallId(answerId, this.#choice, this.calls.length),
      name,
      signature: thoughtSignature(fragment),
      custom,
      argued: false,
      closed: false,
    };
    this.calls.push(call);
    this.#byIndex.set(index ?? waiting?.index ?? call.index, call);
    return this.#append(call, true, text);
  }

  /** The call that a fragment goes on with; undefined where it begins one. */
  #continues(
    index: number | undefined,
    id: string | undefined,
    name: string | undefined,
    text: string,
  ): OpenCall | undefined {
    const last = this.calls.at(-1);
    const here = index === undefined ? last : this.#byIndex.get(index);
    const same = id === undefined ? undefined : this.calls.findLast((call) => call.id === id);
    // One id at two indexes, each with a name, is two calls of a provider that numbers badly.
    if (same && (same === here || name === undefined || index === undefined)) return same;
    const waiting = this.#nameless;
    if (waiting && (index === undefined || index === waiting.index)) return undefined;
    if (name !== undefined) {
      // Some repeat the name on every fragment. Another id, or a name after a finished object, begins the next call.
      const goesOn = id === undefined && here?.name === name && !(here.closed && text.startsWith("{"));
      return goesOn ? here : undefined;
    }
    // Without a name: a fresh id alone announces a call, arguments always belong to one.
    if (text === "") return id === undefined ? here : undefined;
    if (here === undefined && last !== undefined) this.#indexesLie = true;
    return this.#indexesLie ? last : here;
  }

  #append(call: OpenCall, opened: boolean, text: string): CallFragment {
    if (text !== "") {
      call.argued = true;
      call.closed = text.trimEnd().endsWith("}");
    }
    return { call, opened, arguments: text };
  }
}

function argumentPiece(value: unknown): string {
  if (typeof value === "string") return value;
  return value === undefined || value === null ? "" : JSON.stringify(value);
}
