import { existsSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fromRow, newestRows, type ProbedRow, REGISTRY_SCHEMA, registryDocument, toRow } from "../registry/record.ts";
import { stateFolder } from "./state-folder.ts";
import { WorkspaceError } from "./workspace-error.ts";

/** What this machine measured of models, newest of each; none where nothing was probed yet. */
export function readLocalRegistry(cwd: string): readonly ProbedRow[] {
  const file = join(cwd, ".modelrig", "registry.json");
  if (!existsSync(file)) return [];
  try {
    return registryDocument.parse(JSON.parse(readFileSync(file, "utf8"))).capabilities.map(fromRow);
  } catch (cause) {
    throw new WorkspaceError("registry.unreadable", `cannot read ${file} as a registry`, {
      fix: "move it away and probe again",
      cause,
    });
  }
}

/** Adds measurements to those of this machine, and answers the file. Never leaves half a file behind. */
export function addToLocalRegistry(cwd: string, rows: readonly ProbedRow[]): string {
  const file = join(stateFolder(cwd), "registry.json");
  const all = newestRows([...readLocalRegistry(cwd), ...rows]);
  const text = JSON.stringify({ schema: REGISTRY_SCHEMA, capabilities: all.map(toRow) }, null, 2);
  writeFileSync(`${file}.new`, `${text}\n`, { mode: 0o600 });
  renameSync(`${file}.new`, file);
  return file;
}
