/** What observing a pipeline takes: its clients, and the changes that watch them. */
import { type ClientSite, clientSitesIn } from "./client-sites.ts";
import { applyEdits, unifiedDiff } from "./edits.ts";
import type { Project } from "./project.ts";
import { watchingEdits } from "./watching.ts";

interface ObservedFile {
  readonly path: string;
  readonly sites: readonly ClientSite[];
  /** `undefined` where all of it is left to the user. */
  readonly diff: string | undefined;
}

export interface Observation {
  readonly pipeline: string;
  readonly files: readonly ObservedFile[];
}

/** `undefined` where no client that is known is made. */
export function observe(project: Project, pipeline: string): Observation | undefined {
  const files = project.files.flatMap((file): readonly ObservedFile[] => {
    const sites = clientSitesIn(file);
    if (sites.length === 0) return [];
    const edits = watchingEdits(file, sites, pipeline);
    const diff = edits.length === 0 ? undefined : unifiedDiff(file.path, file.text, applyEdits(file.text, edits));
    return [{ path: file.path, sites, diff }];
  });
  return files.length === 0 ? undefined : { pipeline, files };
}
