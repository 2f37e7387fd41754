/** Measured capabilities as they are stored, exported and mirrored: `modelrig.registry/1`. */
import { z } from "zod";
import { type NanoUsd, nanoToUsdText, usdToNano } from "../money/nano-usd.ts";
import { ID_PATTERN } from "../route/identifier.ts";
import { wilson } from "../stats/wilson.ts";
import { type MeasuredCapability, PROBED, type Registry } from "./capability.ts";

export const REGISTRY_SCHEMA = "modelrig.registry/1";

/** Most rows of one document. */
const MOST_ROWS = 10_000;

const id = z.string().regex(ID_PATTERN);

const capabilityRow = z
  .strictObject({
    provider: id,
    model: id,
    capability: z.enum(PROBED),
    n: z.int().positive().max(100_000),
    passed: z.int().nonnegative(),
    /** Wilson 95% interval of passed ÷ n; computed, never taken from a sender. */
    low: z.number().min(0).max(1).optional(),
    high: z.number().min(0).max(1).optional(),
    measured_at: z.iso.datetime(),
    /** Absent = the cost of some probe is unknown. */
    cost_usd: z
      .string()
      .regex(/^\d{1,9}(\.\d{1,9})?$/)
      .optional(),
    simulated: z.boolean(),
    /** Identifies the set of probes, so that figures of different sets are not mixed. */
    method: id,
  })
  .refine(({ n, passed }) => passed <= n, "more probes passed than were sent");

export const registryDocument = z.strictObject({
  schema: z.literal(REGISTRY_SCHEMA),
  capabilities: z.array(capabilityRow).max(MOST_ROWS),
});

export type CapabilityRow = z.infer<typeof capabilityRow>;

export interface ProbedRow extends MeasuredCapability {
  readonly capability: CapabilityRow["capability"];
  readonly provider: string;
  readonly model: string;
  readonly cost?: NanoUsd | undefined;
  readonly simulated: boolean;
  readonly method: string;
}

export function fromRow(row: CapabilityRow): ProbedRow {
  const interval = wilson(row.passed, row.n) ?? { low: 0, high: 1 };
  const { provider, model, capability, n, passed, simulated, method } = row;
  const cost = row.cost_usd === undefined ? undefined : usdToNano(row.cost_usd);
  return { provider, model, capability, n, passed, ...interval, measuredAt: row.measured_at, cost, simulated, method };
}

export function toRow({ measuredAt, cost, ...row }: ProbedRow): CapabilityRow {
  return { ...row, measured_at: measuredAt, cost_usd: cost === undefined ? undefined : nanoToUsdText(cost) };
}

/** Returns the newest row of each capability of each model. */
export function newestRows(rows: readonly ProbedRow[]): readonly ProbedRow[] {
  const newest = new Map<string, ProbedRow>();
  for (const row of rows) {
    const key = `${row.provider}/${row.model} ${row.capability}`;
    const known = newest.get(key);
    if (!known || known.measuredAt <= row.measuredAt) newest.set(key, row);
  }
  return [...newest.values()];
}

export function registryOf(rows: readonly ProbedRow[]): Registry {
  const byModel = new Map<string, ProbedRow[]>();
  for (const row of newestRows(rows)) {
    const key = `${row.provider}/${row.model}`;
    const known = byModel.get(key);
    if (known) known.push(row);
    else byModel.set(key, [row]);
  }
  return { find: (provider, model) => byModel.get(`${provider}/${model}`) ?? [] };
}
