import { type RawBuilder, sql } from "kysely";
import { CAMPAIGN_FIELDS, type CampaignFields, fieldsIn } from "../../domain/campaign-fields.ts";

/** What people write of a campaign, as it is stored. */
export type Content = CampaignFields<"form">;

const FIELDS = fieldsIn("form");

const columnOf = (field: (typeof FIELDS)[number]) => sql.ref(CAMPAIGN_FIELDS[field].column);

/** SQL: the content of campaign `c` under its TypeScript names. */
export const CONTENT = sql.join(FIELDS.map((field) => sql`c.${columnOf(field)} as ${sql.ref(field)}`));

const stored = (value: Content[keyof Content]) =>
  value !== null && typeof value === "object" && !(value instanceof Date) ? JSON.stringify(value) : value;

/** SQL: the columns of a content, in the order of `valuesOf`. */
export const COLUMNS = sql.join(FIELDS.map(columnOf));

export const valuesOf = (content: Content): RawBuilder<unknown> =>
  sql.join(FIELDS.map((field) => stored(content[field])));

/** SQL: `column = value` of each. */
export const assignmentsOf = (content: Content): RawBuilder<unknown> =>
  sql.join(FIELDS.map((field) => sql`${columnOf(field)} = ${stored(content[field])}`));
