import { sql } from "drizzle-orm";
import { index, integer, primaryKey, sqliteTable, text } from "drizzle-orm/sqlite-core";
import type { Withheld } from "../../runs/artifact.ts";
import type { ArtifactType, LinkRelation } from "../../runs/artifact-words.ts";

/** Work products of runs. `content` is null where the org's custody keeps hashes only, or its size cap was passed. */
export const artifacts = sqliteTable(
  "artifacts",
  {
    org: text("org").notNull(),
    id: text("id").notNull(),
    run: text("run"),
    step: text("step"),
    name: text("name").notNull(),
    type: text("type").$type<ArtifactType>().notNull(),
    /** Semantic task; connects an eval case with a route. */
    task: text("task"),
    /** The call that produced it. */
    inference: text("inference"),
    /** True when it passed the schema it was saved with; null = saved without one. */
    conformant: integer("conformant", { mode: "boolean" }),
    /** SHA-256 of the content's UTF-8 bytes, hex. */
    hash: text("hash").notNull(),
    bytes: integer("bytes").notNull(),
    /** True when the content is JSON text. */
    json: integer("json", { mode: "boolean" }).notNull(),
    content: text("content"),
    /** Why the content is missing; null = it is present. */
    withheld: text("withheld").$type<Withheld>(),
    createdAt: integer("created_at").notNull(),
    keyId: text("key_id"),
  },
  (table) => [
    primaryKey({ columns: [table.org, table.id] }),
    index("artifacts_org_run").on(table.org, table.run, table.createdAt).where(sql`run is not null`),
    index("artifacts_org_created").on(table.org, table.createdAt),
  ],
);

/** Lineage: `artifact` was derived from, or consumed, `source`. */
export const artifactLinks = sqliteTable(
  "artifact_links",
  {
    org: text("org").notNull(),
    artifact: text("artifact").notNull(),
    source: text("source").notNull(),
    relation: text("relation").$type<LinkRelation>().notNull(),
    createdAt: integer("created_at").notNull(),
  },
  (table) => [
    primaryKey({ columns: [table.org, table.artifact, table.source, table.relation] }),
    index("artifact_links_org_source").on(table.org, table.source),
  ],
);
