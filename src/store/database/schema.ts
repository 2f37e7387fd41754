/** Name of the newest migration that this code needs; a test compares it with `migrations/`. */
export const SCHEMA_VERSION = "0008_swap_states";
