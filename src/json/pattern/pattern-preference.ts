/** Repetitions in which the engine's rule about empty rounds decides which match is found. */
import type { PatternFault, PatternNode } from "./pattern-syntax.ts";

/**
 * The place of an optional repetition whose body would rather match nothing than something, as `(a??){0,3}`:
 * the engine skips its empty rounds, an automaton cannot tell them. `undefined` where there is none. Whether a text
 * matches at all does not depend on it.
 */
export function prefersNothing(node: PatternNode): PatternFault | undefined {
  switch (node.kind) {
    case "repeat":
      if (node.most > node.least && prefersEmpty(node.body)) {
        return {
          at: node.at,
          message: "an optional repetition of what prefers to match nothing cannot be searched for",
        };
      }
      return prefersNothing(node.body);
    case "sequence":
      return firstFault(node.parts);
    case "choice":
      return firstFault(node.options);
    default:
      return undefined;
  }
}

function firstFault(nodes: readonly PatternNode[]): PatternFault | undefined {
  for (const node of nodes) {
    const fault = prefersNothing(node);
    if (fault) return fault;
  }
  return undefined;
}

function prefersEmpty(node: PatternNode): boolean {
  return canBeEmpty(node) && mayPrefer(node);
}

function mayPrefer(node: PatternNode): boolean {
  switch (node.kind) {
    case "repeat":
      return node.lazy || mayPrefer(node.body);
    case "sequence":
      return node.parts.some(mayPrefer);
    case "choice":
      return node.options.slice(0, -1).some(canBeEmpty) || node.options.some(mayPrefer);
    default:
      return false;
  }
}

function canBeEmpty(node: PatternNode): boolean {
  switch (node.kind) {
    case "one":
      return false;
    case "assert":
      return true;
    case "repeat":
      return node.least === 0 || canBeEmpty(node.body);
    case "sequence":
      return node.parts.every(canBeEmpty);
    case "choice":
      return node.options.some(canBeEmpty);
  }
}
