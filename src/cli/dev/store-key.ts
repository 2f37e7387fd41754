import { randomBytes } from "node:crypto";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { STORE_KEY_VARIABLE } from "../../custody/keyring.ts";

/**
 * Returns the secret that seals text at rest: the one of the environment, else one made for this project and kept in its
 * state folder.
 */
export function storeKey(folder: string, environment: Readonly<Record<string, string>>): string {
  const given = environment[STORE_KEY_VARIABLE];
  if (given) return given;
  const file = join(folder, "store-key");
  try {
    // Two that start at once must use the same key.
    writeFileSync(file, `${randomBytes(32).toString("base64")}\n`, { flag: "wx", mode: 0o600 });
  } catch (cause) {
    if (!(cause instanceof Error && "code" in cause && cause.code === "EEXIST")) throw cause;
  }
  return readFileSync(file, "utf8").trim();
}
