import { and, eq, getTableColumns, inArray, ne, type SQL, type SQLWrapper, sql } from "drizzle-orm";
import type { AuditStamp } from "../../identity/audit-stamp.ts";
import type { ArtifactLink, KeptArtifact } from "../../runs/artifact.ts";
import {
  type ArtifactHead,
  type ArtifactStore,
  type Kept,
  MOST_ARTIFACTS_SHOWN,
  type Origin,
  type Rows,
  type StoredArtifact,
} from "../../runs/ports.ts";
import { keptOf } from "../database/batch-answers.ts";
import type { Database } from "../database/database.ts";
import { drizzled } from "../database/drizzle-fragment.ts";
import { sql as fragment } from "../database/fragment.ts";
import { insertRows } from "../database/insert-rows.ts";
import { seesArtifactRow } from "../database/row-scope.ts";
import { settled } from "../database/store-error.ts";
import { auditInsertIfChanged, batchEntry } from "../orgs/audit-log.ts";
import { artifactLinks, artifacts } from "../tables/artifacts.ts";
import { insertImpliedRuns } from "./implied-runs.ts";

/** Most links followed back to an output's input: chains are short, but links may be many. */
const FARTHEST_ORIGIN = 16;
const MOST_ORIGINS = 20;

const { org: _org, keyId: _keyId, content: CONTENT, ...HEAD } = getTableColumns(artifacts);

export class OrgArtifacts implements ArtifactStore {
  readonly #db: Database;
  readonly #org: string;

  constructor(db: Database, org: string) {
    this.#db = db;
    this.#org = org;
  }

  async save(saved: readonly KeptArtifact[], stamp: AuditStamp): Promise<readonly Kept[]> {
    if (saved.length === 0) return [];
    const rows = saved.map((artifact) => ({ org: this.#org, ...artifact, keyId: stamp.by }));
    const mentions = saved.flatMap(({ run, createdAt }) =>
      run === undefined ? [] : [{ org: this.#org, run, at: createdAt }],
    );
    const ids = saved.map(({ id }) => id);
    const [written] = await settled(
      this.#db.batch([
        this.#db.all<{ id: string }>(sql`${insertRows(artifacts, rows)} returning id`),
        auditInsertIfChanged(this.#db, this.#org, batchEntry(stamp, "artifact.saved", ids)),
        this.#db.run(insertImpliedRuns(mentions)),
      ]),
    );
    return keptOf(saved, written, ({ id }) => id);
  }

  async link(links: readonly ArtifactLink[], stamp: AuditStamp): Promise<readonly Kept[]> {
    if (links.length === 0) return [];
    const rows = links.map((link) => ({ org: this.#org, ...link }));
    const [written] = await settled(
      this.#db.batch([
        this.#db.all<ArtifactLink>(sql`${insertRows(artifactLinks, rows)} returning artifact, source, relation`),
        auditInsertIfChanged(
          this.#db,
          this.#org,
          batchEntry(
            stamp,
            "artifact.linked",
            links.map(({ artifact }) => artifact),
          ),
        ),
      ]),
    );
    return keptOf(links, written, ({ artifact, source, relation }) => JSON.stringify([artifact, source, relation]));
  }

  async get(id: string, rows: Rows): Promise<StoredArtifact | undefined> {
    const [row] = await settled(
      this.#db
        .select({ ...HEAD, content: CONTENT })
        .from(artifacts)
        .where(and(eq(artifacts.org, this.#org), eq(artifacts.id, id), this.#seen(rows))),
    );
    return row && artifactOf(row);
  }

  async ofRun(run: string, rows: Rows): Promise<readonly ArtifactHead[]> {
    const found = await settled(
      this.#db
        .select(HEAD)
        .from(artifacts)
        .where(and(eq(artifacts.org, this.#org), eq(artifacts.run, run), this.#seen(rows)))
        .orderBy(artifacts.createdAt, artifacts.id)
        .limit(MOST_ARTIFACTS_SHOWN),
    );
    return found.map(headOf);
  }

  async linksOf(ids: readonly string[], rows: Rows): Promise<readonly ArtifactLink[]> {
    if (ids.length === 0) return [];
    const these = sql`(select value from json_each(${JSON.stringify(ids)}))`;
    const { artifact, source, relation, createdAt } = artifactLinks;
    return await settled(
      this.#db
        .select({ artifact, source, relation, createdAt })
        .from(artifactLinks)
        .where(
          and(
            eq(artifactLinks.org, this.#org),
            sql`(${artifact} in ${these} or ${source} in ${these})`,
            this.#seenEnd(artifact, rows),
            this.#seenEnd(source, rows),
          ),
        )
        .orderBy(createdAt, artifact, source, relation),
    );
  }

  async origins(id: string, rows: Rows): Promise<readonly Origin[]> {
    const nearest = sql`(
      with recursive chain(id, distance) as (
        select ${id}, 0
        union
        select l.source, chain.distance + 1 from chain
          join artifact_links l on l.org = ${this.#org} and l.artifact = chain.id and l.relation = 'derived_from'
          where chain.distance < ${FARTHEST_ORIGIN}
      ) select id, min(distance) as distance from chain group by id) nearest`;
    const found = await settled(
      this.#db
        .select({ ...HEAD, content: CONTENT, distance: sql<number>`nearest.distance` })
        .from(artifacts)
        .innerJoin(nearest, sql`nearest.id = ${artifacts.id}`)
        .where(
          and(
            eq(artifacts.org, this.#org),
            ne(artifacts.id, id),
            inArray(artifacts.type, ["input", "prompt"]),
            this.#seen(rows),
          ),
        )
        .orderBy(sql`nearest.distance`, artifacts.createdAt, artifacts.id)
        .limit(MOST_ORIGINS),
    );
    return found.map(({ distance, ...row }) => ({ artifact: artifactOf(row), distance }));
  }

  #seen(rows: Rows): SQL | undefined {
    return drizzled(seesArtifactRow({ org: this.#org, rowScope: rows }, fragment`artifacts`));
  }

  #seenEnd(end: SQLWrapper, rows: Rows): SQL | undefined {
    if (!rows) return undefined;
    return sql`exists (select 1 from artifacts where artifacts.org = ${this.#org} and artifacts.id = ${end}
      and ${this.#seen(rows)})`;
  }
}

type HeadRow = Omit<typeof artifacts.$inferSelect, "org" | "keyId" | "content">;

function headOf(row: HeadRow): ArtifactHead {
  return {
    ...row,
    run: row.run ?? undefined,
    step: row.step ?? undefined,
    task: row.task ?? undefined,
    inference: row.inference ?? undefined,
    conformant: row.conformant ?? undefined,
    withheld: row.withheld ?? undefined,
  };
}

function artifactOf({ content, ...head }: HeadRow & { readonly content: string | null }): StoredArtifact {
  return { ...headOf(head), content: content ?? undefined };
}
