/** Checks that a variant only narrows: unique names, and no candidate that the route does not declare. */
import type { BundleDraft } from "./bundle-shape.ts";
import { candidateKey } from "./check-candidates.ts";
import { type Fault, nearest } from "./fault.ts";
import type { LocatedYaml } from "./located-yaml.ts";

export function checkVariants(document: LocatedYaml, draft: BundleDraft): Fault[] {
  const declared = new Set(
    (draft.candidates ?? []).flatMap((candidate) => (candidate ? [candidateKey(candidate)] : [])),
  );
  const complete = draft.candidates?.every((candidate) => candidate !== undefined) ?? false;
  const names = new Set<string>();
  const faults: Fault[] = [];
  for (const [index, variant] of (draft.variants ?? []).entries()) {
    if (!variant) continue;
    const path = ["variants", index] as const;
    if (names.has(variant.name)) {
      faults.push(
        document.fault("route.duplicate_variant", `variant ${variant.name} is declared twice`, {
          path: [...path, "name"],
        }),
      );
    }
    names.add(variant.name);
    if (variant.output?.ladder && !draft.output) {
      const message = "output.ladder narrows the route's output, and the route declares none";
      faults.push(document.fault("route.ladder_without_output", message, { path: [...path, "output"], spot: "key" }));
    }
    if (variant.reasoning && variant.params?.reasoning) {
      const message = "reasoning and params.reasoning say the same thing; keep one";
      faults.push(document.fault("route.reasoning_twice", message, { path: [...path, "reasoning"], spot: "key" }));
    }
    const own = new Set<string>();
    for (const [at, candidate] of (variant.candidates ?? []).entries()) {
      const key = candidateKey(candidate);
      const where = { path: [...path, "candidates", at] };
      if (own.has(key))
        faults.push(
          document.fault("route.duplicate_candidate", `${key} is listed twice in variant ${variant.name}`, where),
        );
      own.add(key);
      if (complete && !declared.has(key)) {
        const suggestion = nearest(key, declared);
        const hint = suggestion ? `did you mean ${suggestion}?` : `declared: ${[...declared].join(", ")}`;
        const message = `${key} is not a candidate of the route, and a variant may only narrow; ${hint}`;
        faults.push(document.fault("route.variant_widens", message, { ...where, suggestion }));
      }
    }
  }
  return faults;
}
