import { and, eq, inArray, sql } from "drizzle-orm";
import { parsedSample } from "../../bakeoff/execution/journal.ts";
import type { Sample } from "../../bakeoff/execution/sample.ts";
import { hostedPlan } from "../../bakeoff/hosted/hosted-plan.ts";
import type { HostedBakeoff, HostedMove, HostedProgress, HostedState, HostedStore } from "../../bakeoff/ports.ts";
import type { AuditStamp } from "../../identity/audit-stamp.ts";
import { nanoUsd } from "../../money/nano-usd.ts";
import type { Database } from "../database/database.ts";
import { settled } from "../database/store-error.ts";
import { auditInsertIfChanged } from "../orgs/audit-log.ts";
import { hostedBakeoffs, hostedSamples } from "../tables/hosted-bakeoffs.ts";

export class OrgHostedBakeoffs implements HostedStore {
  readonly #db: Database;
  readonly #org: string;

  constructor(db: Database, org: string) {
    this.#db = db;
    this.#org = org;
  }

  async create(made: Parameters<HostedStore["create"]>[0], stamp: AuditStamp): Promise<boolean> {
    const [written] = await settled(
      this.#db.batch([
        this.#db
          .insert(hostedBakeoffs)
          .values({ org: this.#org, ...made, state: "queued", createdBy: stamp.by })
          .onConflictDoNothing()
          .returning({ id: hostedBakeoffs.id }),
        auditInsertIfChanged(this.#db, this.#org, {
          ...stamp,
          action: "bakeoff.started",
          subject: made.id,
          detail: { route: made.route, planned: made.planned },
        }),
      ]),
    );
    return written.length > 0;
  }

  /** An invalid stored plan is a mistake in the program and is thrown. */
  async get(id: string): Promise<HostedBakeoff | undefined> {
    const [row] = await settled(this.#db.select().from(hostedBakeoffs).where(this.#is(id)));
    if (!row) return undefined;
    const { route, state, planned, error, createdAt, createdBy } = row;
    const plan = hostedPlan.parse(row.plan);
    return { id, route, state, plan, planned, error: error ?? undefined, createdAt, createdBy };
  }

  async move(id: string, from: readonly HostedState[], to: HostedState, more: HostedMove): Promise<boolean> {
    const { error, by, at } = more;
    const over = to === "cancelled" || to === "done" || to === "failed";
    const [moved] = await settled(
      this.#db.batch([
        this.#db
          .update(hostedBakeoffs)
          .set({ state: to, error: error ?? null, finishedAt: over ? at : null })
          .where(and(this.#is(id), inArray(hostedBakeoffs.state, [...from])))
          .returning({ id: hostedBakeoffs.id }),
        auditInsertIfChanged(this.#db, this.#org, { by, at, action: `bakeoff.${to}`, subject: id }),
      ]),
    );
    return moved.length > 0;
  }

  async handOver(id: string, from: number): Promise<void> {
    const plan = sql`json_set(${hostedBakeoffs.plan}, '$.from', ${from})`;
    await settled(this.#db.update(hostedBakeoffs).set({ plan }).where(this.#is(id)));
  }

  async progress(id: string): Promise<HostedProgress> {
    const [row] = await settled(
      this.#db
        .select({
          done: sql<number>`count(*) filter (where ${outcome} <> 'refused')`,
          spent: sql<number>`coalesce(sum(${hostedSamples.sample} ->> '$.cost'), 0)`,
        })
        .from(hostedSamples)
        .where(this.#of(id)),
    );
    return { done: row?.done ?? 0, spent: nanoUsd(row?.spent ?? 0) };
  }

  async keep(id: string, sample: Sample): Promise<HostedState | undefined> {
    const { arm, input } = sample;
    const line = JSON.stringify({ type: "sample", ...sample });
    const [, [row]] = await settled(
      this.#db.batch([
        // Nothing is stored where the bake-off was deleted meanwhile.
        this.#db.run(sql`insert into hosted_samples (org, bakeoff, arm, input, sample)
          select org, id, ${arm}, ${input}, ${line} from hosted_bakeoffs where org = ${this.#org} and id = ${id}
          on conflict (org, bakeoff, input, arm) do update set sample = excluded.sample`),
        this.#db.select({ state: hostedBakeoffs.state }).from(hostedBakeoffs).where(this.#is(id)),
      ]),
    );
    return row?.state;
  }

  async samples(id: string, inputs?: readonly string[]): Promise<readonly Sample[]> {
    if (inputs?.length === 0) return [];
    return this.#read(and(this.#of(id), inputs && inArray(hostedSamples.input, [...inputs])));
  }

  async refused(id: string): Promise<readonly Sample[]> {
    return this.#read(and(this.#of(id), sql`${outcome} = 'refused'`));
  }

  async #read(where: ReturnType<typeof and>): Promise<readonly Sample[]> {
    const rows = await settled(
      this.#db
        .select({ sample: hostedSamples.sample })
        .from(hostedSamples)
        .where(where)
        .orderBy(hostedSamples.input, hostedSamples.arm),
    );
    return rows.map((row) => sampleOf(row.sample));
  }

  #is(id: string) {
    return and(eq(hostedBakeoffs.org, this.#org), eq(hostedBakeoffs.id, id));
  }

  #of(id: string) {
    return and(eq(hostedSamples.org, this.#org), eq(hostedSamples.bakeoff, id));
  }
}

const outcome = sql`${hostedSamples.sample} ->> '$.outcome'`;

/** A sample left out would be missing from a denominator, and paid for again. */
function sampleOf(value: unknown): Sample {
  const sample = parsedSample(value);
  if (!sample) throw new TypeError("a sample of a hosted bake-off is none");
  return sample;
}
