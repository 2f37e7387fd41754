/** Statements that make hourly sums from raw rows. One list of sums is used for making, merging and comparing them. */
import { type SQL, type SQLWrapper, sql } from "drizzle-orm";
import type { SQLiteColumn } from "drizzle-orm/sqlite-core";
import { inferences } from "../tables/inferences.ts";
import { inferenceRollups, tagRollups, wideTags } from "../tables/rollups.ts";
import { hourSql } from "./stale-hours.ts";

/** A tag with more values than this in an hour is not summed per value. */
export const MOST_TAG_VALUES = 500;
/** A tag with more values than this must also have two rows per value on average, which request ids never have. */
export const FEW_TAG_VALUES = 50;
/** With more tags than this in one hour, none of them is summed. */
export const MOST_TAGS_OF_HOUR = 64;
/** Means every tag of the hour in `wide_tags`; no tag can have this name. */
const EVERY_TAG = "*";

/** Everything is summed except the extremes. */
type Merge = "add" | "min" | "max";

interface Sum {
  readonly column: SQLiteColumn;
  readonly of: SQL;
  readonly merge: Merge;
}

type Figures = typeof inferenceRollups | typeof tagRollups;

function sumsOf(table: Figures): readonly Sum[] {
  const raw = inferences;
  const add = (column: SQLiteColumn, of: SQL): Sum => ({ column, of, merge: "add" });
  const total = (column: SQLiteColumn): SQL => sql`coalesce(sum(${column}), 0)`;
  const known = (column: SQLiteColumn): SQL => sql`count(${column})`;
  const where = (condition: SQL): SQL => sql`count(case when ${condition} then 1 end)`;
  return [
    add(table.n, sql`count(*)`),
    add(table.attempts, total(raw.attempts)),
    add(table.failed, known(raw.failureClass)),
    add(table.priced, known(raw.costNano)),
    add(table.costNano, total(raw.costNano)),
    { column: table.costNanoMin, of: sql`min(${raw.costNano})`, merge: "min" },
    { column: table.costNanoMax, of: sql`max(${raw.costNano})`, merge: "max" },
    add(table.conformant, where(sql`${raw.conformant}`)),
    add(table.nonconformant, where(sql`not ${raw.conformant}`)),
    add(table.conformantPriced, where(sql`${raw.conformant} and ${raw.costNano} is not null`)),
    add(table.latencyMs, total(raw.latencyMs)),
    { column: table.latencyMsMin, of: sql`min(${raw.latencyMs})`, merge: "min" },
    { column: table.latencyMsMax, of: sql`max(${raw.latencyMs})`, merge: "max" },
    add(table.inputTokens, total(raw.inputTokens)),
    add(table.inputTokensN, known(raw.inputTokens)),
    add(table.cacheReadTokens, total(raw.cacheReadTokens)),
    add(table.cacheReadTokensN, known(raw.cacheReadTokens)),
    add(table.cacheWriteTokens, total(raw.cacheWriteTokens)),
    add(table.cacheWriteTokensN, known(raw.cacheWriteTokens)),
    add(table.outputTokens, total(raw.outputTokens)),
    add(table.outputTokensN, known(raw.outputTokens)),
    add(table.reasoningTokens, total(raw.reasoningTokens)),
    add(table.reasoningTokensN, known(raw.reasoningTokens)),
  ];
}

/** Key columns of a row of sums, and their values in the raw row. */
type Group = readonly (readonly [SQLiteColumn, SQL])[];

function commonGroup(table: Figures): Group {
  return [
    [table.org, sql`${inferences.org}`],
    [table.hour, hourSql(inferences.ts)],
    [table.lane, sql`${inferences.lane}`],
    [table.simulated, sql`${inferences.simulated}`],
  ];
}

const orEmpty = (column: SQLiteColumn): SQL => sql`coalesce(${column}, '')`;

const ROUTE_GROUP: Group = [
  ...commonGroup(inferenceRollups),
  [inferenceRollups.route, orEmpty(inferences.route)],
  [inferenceRollups.variant, orEmpty(inferences.variant)],
  [inferenceRollups.provider, orEmpty(inferences.provider)],
  [inferenceRollups.model, orEmpty(inferences.model)],
  [inferenceRollups.failureClass, orEmpty(inferences.failureClass)],
];

/**
 * Name under which `tag_rollups` keeps one group of everything: rows without a tag are all rows less those with it, and
 * counting all from `inference_rollups` would mean reading every group of every hour. No tag can have this name.
 */
const EVERYTHING = "";

const ALL_GROUP: Group = [
  ...commonGroup(tagRollups),
  [tagRollups.tag, sql`${EVERYTHING}`],
  [tagRollups.value, sql`''`],
];

const TAG_GROUP: Group = [
  ...commonGroup(tagRollups),
  [tagRollups.tag, sql`tag.key`],
  [tagRollups.value, sql`tag.value`],
];

/** Sums the raw rows that `where` selects into their groups; existing sums are increased. */
export function addToRollups(where: SQL): SQL {
  return sumInto(inferenceRollups, ROUTE_GROUP, sql`${inferences}`, where);
}

/** The same for all of them together, whatever their tags are. */
export function addToAllRollups(where: SQL): SQL {
  return sumInto(tagRollups, ALL_GROUP, sql`${inferences}`, where);
}

/** The same per value of each tag that is not wide in its hour. */
export function addToTagRollups(where: SQL): SQL {
  const narrow = sql`not exists (select 1 from ${wideTags} w where w.org = ${inferences.org}
    and w.hour = ${hourSql(inferences.ts)} and w.tag in (tag.key, ${EVERY_TAG}))`;
  return sumInto(tagRollups, TAG_GROUP, eachTag(), sql`${where} and ${narrow}`);
}

function sumInto(table: Figures, group: Group, from: SQL, where: SQL): SQL {
  const sums = sumsOf(table);
  const keys = group.map(([column]) => name(column));
  const columns = [...keys, ...sums.map(({ column }) => name(column))];
  const values = [...group.map(([, value]) => value), ...sums.map(({ of }) => of)];
  const positions = group.map((_, index) => sql.raw(String(index + 1)));
  return sql`insert into ${table} (${list(columns)}) select ${list(values)} from ${from} where ${where}
    group by ${list(positions)} on conflict (${list(keys)}) do update set ${list(sums.map(merged))}`;
}

function merged({ column, merge }: Sum): SQL {
  const own = sql`${column}`;
  const more = sql`excluded.${name(column)}`;
  const value =
    merge === "add"
      ? sql`${own} + ${more}`
      : // The scalar min and max are null as soon as one side is.
        sql`coalesce(${sql.raw(merge)}(${own}, ${more}), ${own}, ${more})`;
  return sql`${name(column)} = ${value}`;
}

/** Decides from raw rows which tags of one hour are wide. */
export function findWideTags(org: string, hour: number, where: SQL): SQL {
  return sql`insert into ${wideTags} (org, hour, tag) select ${org}, ${hour}, key from (
      select tag.key as key, count(distinct tag.value) as many, count(*) as n from ${eachTag()} where ${where} group by tag.key
    ) where many > ${MOST_TAG_VALUES} or (many > ${FEW_TAG_VALUES} and 2 * many > n)
    union all select ${org}, ${hour}, ${EVERY_TAG}
      where (select count(distinct tag.key) from ${eachTag()} where ${where}) > ${MOST_TAGS_OF_HOUR}`;
}

/** Decides from the sums, after late rows were added to them, because the raw rows are gone. */
export function findGrownTags(org: string, hours: SQL): SQL {
  const here = sql`org = ${org} and hour in (${hours}) and tag <> ${EVERYTHING}`;
  return sql`insert into ${wideTags} (org, hour, tag)
    select org, hour, tag from ${tagRollups} where ${here} group by hour, tag having count(distinct value) > ${MOST_TAG_VALUES}
    union all select org, hour, ${EVERY_TAG} from ${tagRollups} where ${here} group by hour having count(distinct tag) > ${MOST_TAGS_OF_HOUR}
    on conflict do nothing`;
}

export function dropWideTags(org: string, hours: SQL): SQL {
  return sql`delete from ${tagRollups} where org = ${org} and hour in (${hours}) and tag <> ${EVERYTHING}
    and exists (select 1 from ${wideTags} w where w.org = ${tagRollups.org} and w.hour = ${tagRollups.hour}
      and w.tag in (${tagRollups.tag}, ${EVERY_TAG}))`;
}

function eachTag(): SQL {
  return sql`${inferences}, json_each(${inferences.tags}) tag`;
}

/** The name without its table, for places where it is defined. */
function name(column: SQLiteColumn): SQL {
  return sql`${sql.identifier(column.name)}`;
}

function list(parts: readonly SQLWrapper[]): SQL {
  return sql.join(
    parts.map((part) => sql`${part}`),
    sql`, `,
  );
}
