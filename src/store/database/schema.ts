/** Name of the newest migration this code knows; a test holds it equal to `migrations/`. */
export const SCHEMA_VERSION = "0002_runs_and_evidence";
