/** What artifacts are, and how they come from one another. */
export const ARTIFACT_TYPES = ["prompt", "raw_response", "step_output", "input", "document", "other"] as const;
export type ArtifactType = (typeof ARTIFACT_TYPES)[number];

export const LINK_RELATIONS = ["derived_from", "consumed"] as const;
export type LinkRelation = (typeof LINK_RELATIONS)[number];
