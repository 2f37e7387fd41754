/** Name of the newest migration this code knows; a test holds it equal to `migrations/`. */
export const SCHEMA_VERSION = "0006_looks_only";
