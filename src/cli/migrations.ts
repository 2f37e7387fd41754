import { readdirSync, readFileSync } from "node:fs";
import type { Migration } from "../store/database/migrate.ts";

/** Beside the sources in a clone, beside `dist` in the published package: the same folder either way. */
const folder = new URL("../../migrations/", import.meta.url);

/** The migrations this version ships, in the order in which they apply. */
export function readMigrations(): readonly Migration[] {
  return readdirSync(folder)
    .filter((file) => file.endsWith(".sql"))
    .sort()
    .map((file) => ({ name: file.slice(0, -".sql".length), sql: readFileSync(new URL(file, folder), "utf8") }));
}
