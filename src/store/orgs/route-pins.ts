import { and, desc, eq, sql } from "drizzle-orm";
import type { AuditStamp } from "../../identity/audit-stamp.ts";
import type { Database } from "../database/database.ts";
import { settled } from "../database/store-error.ts";
import { routePins } from "../tables/route-pins.ts";
import { auditInsert } from "./audit-log.ts";

interface RoutePin extends AuditStamp {
  readonly route: string;
  readonly variant: string;
  /** 1 for the first pin of a route, increasing by one. */
  readonly version: number;
}

export class OrgRoutePins {
  readonly #db: Database;
  readonly #org: string;

  constructor(db: Database, org: string) {
    this.#db = db;
    this.#org = org;
  }

  /** Returns the current pin of every route that has one. */
  async current(): Promise<readonly RoutePin[]> {
    const rows = await settled(
      this.#db
        .select()
        .from(routePins)
        .where(
          and(
            eq(routePins.org, this.#org),
            sql`${routePins.version} = (select max(version) from route_pins later
              where later.org = ${routePins.org} and later.route = ${routePins.route})`,
          ),
        )
        .orderBy(routePins.route),
    );
    return rows.map(pinOf);
  }

  /** Newest first. */
  async history(route: string): Promise<readonly RoutePin[]> {
    const rows = await settled(
      this.#db
        .select()
        .from(routePins)
        .where(and(eq(routePins.org, this.#org), eq(routePins.route, route)))
        .orderBy(desc(routePins.version)),
    );
    return rows.map(pinOf);
  }

  /** Makes `variant` serve the route live; `default` removes a pin. Returns the new pin. */
  async pin(route: string, variant: string, stamp: AuditStamp): Promise<RoutePin> {
    const version = sql<number>`(select coalesce(max(version), 0) + 1 from route_pins
      where org = ${this.#org} and route = ${route})`;
    const [rows] = await settled(
      this.#db.batch([
        this.#db
          .insert(routePins)
          .values({ org: this.#org, route, variant, version, createdAt: stamp.at, createdBy: stamp.by })
          .returning(),
        auditInsert(this.#db, this.#org, { ...stamp, action: "route.pinned", subject: route, detail: { variant } }),
      ]),
    );
    const [row] = rows;
    if (!row) throw new Error("an inserted pin was not returned");
    return pinOf(row);
  }
}

function pinOf(row: typeof routePins.$inferSelect): RoutePin {
  const { route, variant, version } = row;
  return { route, variant, version, at: row.createdAt, by: row.createdBy };
}
