/**
 * Checks that the output schema exists, is valid, stays within what the validator supports, and is reachable by the
 * ladder.
 */

import { isRecord } from "../json/record.ts";
import type { JsonSchema } from "../wire/chat.ts";
import type { BundleDraft } from "./bundle-shape.ts";
import { candidateKey, capabilitiesOf } from "./check-candidates.ts";
import { checkSchema } from "./check-schema.ts";
import type { CompileContext } from "./compile-context.ts";
import type { Fault } from "./fault.ts";
import { type LocatedYaml, parseLocatedYaml } from "./located-yaml.ts";
import { RUNGS } from "./route.ts";

interface OutputCheck {
  /** Returns the schema of the route's output, from the bundle or its file. */
  readonly schema?: JsonSchema | undefined;
  readonly faults: readonly Fault[];
}

export function checkOutput(document: LocatedYaml, draft: BundleDraft, context: CompileContext): OutputCheck {
  const inputFaults = draft.input === undefined ? [] : checkSchema(document, ["input"], draft.input);
  const { output } = draft;
  if (!output) return { faults: inputFaults };
  const found =
    output.schema_file === undefined
      ? inline(document, output.schema)
      : fromFile(document, output.schema_file, context);
  return { schema: found.schema, faults: [...inputFaults, ...found.faults, ...checkLadder(document, draft, context)] };
}

function inline(document: LocatedYaml, schema: JsonSchema | undefined): OutputCheck {
  return { schema, faults: schema === undefined ? [] : checkSchema(document, ["output", "schema"], schema) };
}

/** Faults inside the file point into the file. A YAML parser also reads JSON. */
function fromFile(document: LocatedYaml, name: string, context: CompileContext): OutputCheck {
  const refuse = (code: string, message: string): OutputCheck => ({
    faults: [document.fault(code, message, { path: ["output", "schema_file"] })],
  });
  const path = withinFolder(name);
  if (path === undefined)
    return refuse("route.schema_file_outside", `schema_file ${name} must stay inside the routes folder`);
  const text = context.readFile(path);
  if (text === undefined) return refuse("route.schema_file_missing", `schema_file ${path} is not in the routes folder`);
  const parsed = parseLocatedYaml(path, text, "schema");
  if (parsed.faults.length > 0) return { faults: parsed.faults };
  if (!isRecord(parsed.value) && typeof parsed.value !== "boolean")
    return refuse("route.schema_file_invalid", `${path} holds no JSON Schema`);
  return { schema: parsed.value, faults: checkSchema(parsed, [], parsed.value) };
}

/** Returns the path with `.` and `..` resolved, or undefined where it is absolute or leaves the folder. */
function withinFolder(name: string): string | undefined {
  if (/^([\\/~]|[A-Za-z][A-Za-z0-9+.-]*:)/.test(name) || name.includes("\\") || name.includes("\0")) return undefined;
  const steps: string[] = [];
  for (const step of name.split("/")) {
    if (step === "" || step === ".") continue;
    if (step !== "..") steps.push(step);
    else if (steps.pop() === undefined) return undefined;
  }
  return steps.length === 0 ? undefined : steps.join("/");
}

/**
 * Finds candidates that no rung of the ladder fits and that can therefore never serve the schema. Unknown abilities
 * count as absent.
 */
function checkLadder(document: LocatedYaml, draft: BundleDraft, context: CompileContext): Fault[] {
  const ladder = draft.output?.ladder ?? RUNGS;
  if (ladder.includes("coached")) return [];
  const live = (draft.candidates ?? []).filter((candidate) => candidate !== undefined && !candidate.trial);
  const stuck = live.filter((candidate) => {
    const known = candidate && capabilitiesOf(candidate, context)?.capabilities;
    return (
      known && !ladder.some((rung) => (rung === "native_strict" || rung === "json_object") && known[rung] === true)
    );
  });
  if (stuck.length === 0) return [];
  const names = stuck.flatMap((candidate) => (candidate ? [candidateKey(candidate)] : [])).join(", ");
  const none = stuck.length === live.length;
  const message = `${names} cannot be asked on any rung of this ladder${none ? ", so nothing could serve the route" : ""}; add coached, or declare the capability in modelrig.yaml`;
  return [
    document.fault("route.ladder_out_of_reach", message, {
      path: ["output", "ladder"],
      severity: none ? "error" : "warning",
    }),
  ];
}
