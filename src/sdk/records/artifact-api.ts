/** `rig.artifacts.artifact`: work products of a step, and how they come from one another. */

import type { ArtifactType, LinkRelation } from "../../runs/artifact-words.ts";

export interface SaveOptions {
  /** Up to 200 characters. */
  readonly name: string;
  readonly type: ArtifactType;
  /** The step it belongs to; groups artifacts of a run. */
  readonly stepKey?: string | undefined;
  /** What it is an example of; equals a route's name where a bake-off is to find its variants. */
  readonly task?: string | undefined;
  /** JSON Schema the content is held against: the artifact says whether it conforms. */
  readonly schema?: unknown;
  /** The same, where you have checked already. */
  readonly conformant?: boolean | undefined;
  /** The call it came from. */
  readonly inferenceId?: string | undefined;
  /** Id of a run; default: the run around the call. */
  readonly run?: string | undefined;
}

/** A saved artifact, or its id; `null` where `save` could not save it, of which nothing more is recorded. */
export type Artifact = ArtifactRef | string | null;

export interface ArtifactRef {
  readonly id: string;
  readonly task?: string | undefined;
}

export interface PromoteOptions {
  /** Default: the task it was saved with. */
  readonly task?: string | undefined;
  /** The output it should have been; default: its own content. */
  readonly corrected?: unknown;
  /** What was asked, where its lineage names no input and no prompt: a template's variables, … */
  readonly variables?: Readonly<Record<string, unknown>> | undefined;
  /** … or messages of the OpenAI chat API. */
  readonly messages?: readonly Readonly<Record<string, unknown>>[] | undefined;
}

/** Every method is synchronous and never throws. What does not fit is left out, and said once. */
export interface ArtifactApi {
  /**
   * Saves text, or any value that is JSON. Returns `null` where it could not be saved.
   *
   * @example
   * const saved = rig.artifacts.artifact.save(
   *   { title: "Invoice" },
   *   { name: "title", type: "step_output", schema: { type: "object", required: ["title"] } },
   * );
   */
  save(content: unknown, options: SaveOptions): ArtifactRef | null;
  /**
   * Says that `artifact` came from `source`, or used it. Returns whether that was recorded.
   *
   * @example
   * const { artifact } = rig.artifacts;
   * const source = artifact.save("My invoice is wrong.", { name: "ticket", type: "input" });
   * const title = artifact.save("Invoice", { name: "title", type: "step_output" });
   * artifact.link(title, source, "derived_from");
   */
  link(artifact: Artifact, source: Artifact, relation: LinkRelation): boolean;
  /**
   * Makes it an eval case: what was asked, and the output to expect. Returns the case's id, or `null` where no task names
   * it. The gateway expects the artifact's own content where the org's custody keeps content; say `corrected` elsewhere.
   *
   * @example
   * const { artifact } = rig.artifacts;
   * const saved = artifact.save({ category: "sales" }, { name: "answer", type: "step_output", task: "support.classify" });
   * const evalCase = artifact.promoteToEval(saved, {
   *   variables: { ticket: "My invoice is wrong." },
   *   corrected: { category: "billing" },
   * });
   */
  promoteToEval(artifact: Artifact, options?: PromoteOptions): string | null;
}
