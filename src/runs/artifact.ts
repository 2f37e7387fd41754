/** A saved work product of a step, and its lineage. */
import { z } from "zod";
import { identifier, instant, label } from "../intake/fields.ts";
import { ARTIFACT_TYPES, LINK_RELATIONS } from "./artifact-words.ts";

/**
 * Why an artifact's content is not kept: its sender withheld it, the org's custody keeps hashes only, its size, its
 * age, or text that the database cannot hold.
 */
export const WITHHELD = ["not_sent", "custody", "too_large", "not_text", "retention"] as const;
export type Withheld = (typeof WITHHELD)[number];

/** Largest content of one artifact under any setting, UTF-8 bytes. */
export const LARGEST_ARTIFACT = 1_048_576;

export const artifactSaved = z.strictObject({
  id: identifier,
  run: identifier.optional(),
  step: identifier.optional(),
  name: label,
  type: z.enum(ARTIFACT_TYPES),
  task: label.optional(),
  inference: identifier.optional(),
  conformant: z.boolean().optional(),
  /** SHA-256 of the content's UTF-8 bytes, hex; computed by the gateway where the content is sent too. */
  hash: z
    .string()
    .regex(/^[0-9a-f]{64}$/)
    .optional(),
  bytes: z.int().nonnegative().optional(),
  /** True for JSON text. */
  json: z.boolean().default(false),
  /** Absent = only the hash is reported. */
  content: z.string().optional(),
  createdAt: instant,
});

export const artifactLink = z.strictObject({
  artifact: identifier,
  source: identifier,
  relation: z.enum(LINK_RELATIONS),
  createdAt: instant,
});

export type ArtifactSaved = z.infer<typeof artifactSaved>;
export type ArtifactLink = z.infer<typeof artifactLink>;

/** An artifact after custody, as it may be stored. */
export interface KeptArtifact extends Omit<ArtifactSaved, "hash" | "bytes"> {
  readonly hash: string;
  readonly bytes: number;
  readonly withheld?: Withheld | undefined;
}
