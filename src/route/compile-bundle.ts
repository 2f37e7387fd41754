/** Compiles one bundle file from YAML text to a `Route`, or returns all its faults at once. */

import { isRecord } from "../json/record.ts";
import { buildRoute } from "./build-route.ts";
import { type BundleDraft, bundleShape } from "./bundle-shape.ts";
import { checkCandidates } from "./check-candidates.ts";
import { checkMeaning } from "./check-meaning.ts";
import { checkOutput } from "./check-output.ts";
import { checkTemplates } from "./check-template.ts";
import { checkVariants } from "./check-variants.ts";
import type { CompileContext } from "./compile-context.ts";
import { type Fault, hasErrors, mostImportantLast } from "./fault.ts";
import { type LocatedYaml, parseLocatedYaml } from "./located-yaml.ts";
import type { Route } from "./route.ts";
import { ShapeReader } from "./shape.ts";

interface CompiledFile {
  /** Present when no fault is an error. */
  readonly route?: Route | undefined;
  /** Most important last. */
  readonly faults: readonly Fault[];
}

/** `file` is the name shown in faults; its base name must be the route's. Never throws, whatever the text is. */
export async function compileBundle(file: string, text: string, context: CompileContext): Promise<CompiledFile> {
  const document = parseLocatedYaml(file, text, "route");
  if (document.faults.length > 0) return { faults: mostImportantLast(document.faults) };
  if (!isRecord(document.value)) {
    const fault = document.fault("route.not_a_map", "a bundle is a map of keys; see docs/routes.md", {
      path: [],
      rank: "syntax",
    });
    return { faults: [fault] };
  }
  const { draft, faults: shapeFaults } = readDraft(document, document.value);
  const output = checkOutput(document, draft, context);
  const faults = [
    ...shapeFaults,
    ...checkMeaning(document, draft),
    ...checkCandidates(document, draft, context),
    ...checkVariants(document, draft),
    ...checkTemplates(document, draft),
    ...output.faults,
  ];
  const sorted = mostImportantLast(faults);
  if (hasErrors(sorted)) return { faults: sorted };
  return { route: await buildRoute(draft, output.schema), faults: sorted };
}

function readDraft(document: LocatedYaml, value: Readonly<Record<string, unknown>>) {
  const reader = new ShapeReader(document, "route");
  for (const key of Object.keys(value)) {
    if (!Object.hasOwn(bundleShape, key)) reader.unknownKey(key, Object.keys(bundleShape), []);
  }
  for (const key of ["route", "candidates"] as const) {
    if (value[key] === undefined) reader.fault("missing_key", `${key} is required`, [key]);
  }
  const { candidates, variants, value_checks, ...single } = bundleShape;
  const parts = Object.entries(single).map(([key, shape]) => [
    key,
    value[key] === undefined ? undefined : reader.read<unknown>(shape, [key]),
  ]);
  const lists = {
    candidates: reader.readList(candidates.element, ["candidates"]),
    variants: reader.readList(variants.element, ["variants"]),
    value_checks: reader.readList(value_checks.element, ["value_checks"]),
  };
  // Each part was parsed by the shape under its own key, as the type `BundleDraft` states.
  const draft = { ...Object.fromEntries(parts), ...lists } as BundleDraft;
  return { draft, faults: reader.faults };
}
