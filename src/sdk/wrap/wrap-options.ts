/** How the calls of a wrapped client are recorded. */
export interface WrapOptions {
  /** Name of the provider, where its address does not say it (a proxy, a private endpoint). */
  readonly provider?: string | undefined;
  /** The named stage of the run that these calls are. */
  readonly stepKey?: string | undefined;
  /** They win over those of the run. */
  readonly tags?: Readonly<Record<string, string>> | undefined;
  /**
   * Saves what was asked and what was answered as artifacts of the run. Default false: figures only. With `artifactContent:
   * false` in the rig, only their hash and size leave this machine.
   */
  readonly artifacts?: boolean | undefined;
}
