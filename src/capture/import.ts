/** Imports captures: our own JSON lines, and the files of other tools. */
import { createHash } from "node:crypto";
import { isRecord, type JsonRecord } from "../json/record.ts";
import type { Capture } from "./capture.ts";
import { isCaptureLine, readCaptureLine } from "./capture-line.ts";
import type { ImportedCall, ImportFormat, ImportTarget } from "./formats/imported-call.ts";
import { IMPORT_FORMATS } from "./formats/index.ts";
import { type ImportEntry, importEntries, type RefusedEntry } from "./import-entries.ts";

export interface ImportOptions {
  /** Route for entries that name none. */
  readonly route: string | undefined;
  /** A format by its name; absent = each entry is recognised by its shape. */
  readonly format: ImportFormat | "modelrig" | undefined;
  readonly target: ImportTarget;
  /** Epoch milliseconds; the time of entries that name none. */
  readonly now: number;
}

export interface ImportResult {
  readonly captures: readonly { readonly place: string; readonly capture: Capture }[];
  /** Entries that could not be read, each with its reason. */
  readonly refused: readonly RefusedEntry[];
  /** Entries that are no calls of a chat model. */
  readonly passed: readonly RefusedEntry[];
}

type Mutable<T> = { [Key in keyof T]: T[Key] extends readonly (infer Item)[] ? Item[] : T[Key] };

/** Reads whole files together, since a batch has its requests and its answers in two. Nothing is thrown. */
export function readImport(
  files: readonly { readonly name: string; readonly text: string }[],
  options: ImportOptions,
): ImportResult {
  const found: Mutable<ImportResult> = { captures: [], refused: [], passed: [] };
  const entries = files.flatMap(({ name, text }) => importEntries(name, text));
  for (const entry of joined(entries.flatMap((one) => unfolded(one, options)))) {
    if ("why" in entry) found.refused.push(entry);
    else add(entry, options, found);
  }
  return found;
}

interface FormattedEntry extends ImportEntry {
  readonly format: ImportFormat | undefined;
}

function add(entry: FormattedEntry, options: ImportOptions, found: Mutable<ImportResult>): void {
  const { place, value, format } = entry;
  if (format === undefined) {
    addOwn(entry, options, found);
    return;
  }
  if (options.route === undefined) {
    found.refused.push({ place, why: "it names no route of yours: say --route" });
    return;
  }
  const reading = format.read(value as JsonRecord, options.target);
  if (reading.type === "call") {
    found.captures.push({ place, capture: captureFrom(reading.call, options.route, options.now) });
  } else found[reading.type].push({ place, why: reading.why });
}

function addOwn({ place, value, text }: FormattedEntry, options: ImportOptions, found: Mutable<ImportResult>): void {
  const own = text?.trim() ?? JSON.stringify(value);
  const added = isRecord(value) && !("route" in value) ? options.route : undefined;
  const read =
    isRecord(value) && added !== undefined
      ? readCaptureLine({ route: added, ...value }, `${added} ${own}`, options.now)
      : readCaptureLine(value, own, options.now);
  if (typeof read === "string") found.refused.push({ place, why: read });
  else found.captures.push({ place, capture: read });
}

/** Derived from what was asked and answered: importing a file twice, or in another format, adds nothing. */
function captureFrom(call: ImportedCall, route: string, now: number): Capture {
  const { payload, output, outcome, at = now, served, tags } = call;
  const digest = createHash("sha256").update(JSON.stringify([route, payload, output, outcome, call.at, served, tags]));
  const id = `imp_${digest.digest("hex").slice(0, 32)}`;
  return { id, at, route, variant: undefined, payload, output, outcome, inferenceId: undefined, served, tags };
}

/** The entries of an entry, each with its format; `undefined` = our own. */
function unfolded(entry: ImportEntry | RefusedEntry, { format }: ImportOptions): (FormattedEntry | RefusedEntry)[] {
  if ("why" in entry) return [entry];
  const { place, value } = entry;
  if (!isRecord(value)) return [{ place, why: "it is no JSON object" }];
  const known = format ?? (isCaptureLine(value) ? "modelrig" : IMPORT_FORMATS.find((one) => one.recognises(value)));
  if (known === undefined) {
    const keys = Object.keys(value).slice(0, 8).join(", ");
    return [{ place, why: `no known shape of a call, with the keys ${keys || "of an empty object"}` }];
  }
  if (known === "modelrig") return [{ ...entry, format: undefined }];
  const inner = known.unfold?.(value);
  if (inner === undefined) return [{ ...entry, format: known }];
  return inner.map((one, at) => {
    const where = `${place} [${at + 1}]`;
    return isRecord(one)
      ? { place: where, value: one, text: undefined, format: known }
      : { place: where, why: "it is no JSON object" };
  });
}

/** Merges the request and the answer of one call. Two requests with one key stay two. */
function joined(entries: readonly (FormattedEntry | RefusedEntry)[]): (FormattedEntry | RefusedEntry)[] {
  const merged: (FormattedEntry | RefusedEntry)[] = [];
  const byKey = new Map<string, number>();
  for (const entry of entries) {
    const key = "why" in entry ? undefined : entry.format?.joinKey?.(entry.value as JsonRecord);
    const at = key === undefined ? undefined : byKey.get(key);
    const other = at === undefined ? undefined : merged[at];
    if ("why" in entry || at === undefined || other === undefined || "why" in other || !complements(other, entry)) {
      if (key !== undefined) byKey.set(key, merged.length);
      merged.push(entry);
      continue;
    }
    merged[at] = {
      ...other,
      value: { ...(other.value as JsonRecord), ...(entry.value as JsonRecord) },
      text: undefined,
    };
  }
  return merged;
}

/** One has what the other lacks, and neither holds both. */
function complements(left: ImportEntry, right: ImportEntry): boolean {
  const sides = [left, right].map(({ value }) => {
    const { body, params, response, result, error } = value as JsonRecord;
    return { asks: (body ?? params) !== undefined, answers: (response ?? result ?? error) !== undefined };
  });
  return sides.filter(({ asks }) => asks).length === 1 && sides.filter(({ answers }) => answers).length === 1;
}
