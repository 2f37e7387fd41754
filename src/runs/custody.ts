/** What an org lets the control plane keep of artifacts. */
export const CUSTODIES = ["hash", "content"] as const;
export type Custody = (typeof CUSTODIES)[number];

export interface OrgSettings {
  /** `hash`: only a hash and a size of each artifact are kept. `content`: its text too, up to `artifactMaxBytes`. */
  readonly custody: Custody;
  readonly artifactMaxBytes: number;
  /** Days raw telemetry is kept; absent = for ever. Rollups stay. */
  readonly retentionDays?: number | undefined;
}

/** Nothing of a call's text is kept until somebody asks for it. */
export const DEFAULT_SETTINGS: OrgSettings = { custody: "hash", artifactMaxBytes: 262_144 };
