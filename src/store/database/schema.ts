/** Name of the newest migration that this code needs; a test compares it with `migrations/`. */
export const SCHEMA_VERSION = "0007_kept_responses";
