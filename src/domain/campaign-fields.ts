import type { Audience } from "./audience.ts";
import type { CampaignStatus } from "./campaign.ts";
import type { TypedVariable } from "./variables.ts";

type Place = "form" | "shown" | "reuse" | "resend" | "export";

/** SQL that a deletion leaves; without it the value stays. */
type Erased = "''" | "null" | "'[]'";

type Field<T, P extends Place> = {
  column: string;
  in: readonly P[];
  erased: Erased | undefined;
  /** Never set: holds the type. */
  values?: T;
};

const field =
  <T>() =>
  <const P extends Place>(column: string, places: readonly P[], erased?: Erased): Field<T, P> => ({
    column,
    in: places,
    erased,
  });

const text = field<string>();
const line = field<string | null>();
const number = field<number>();
const id = field<number | null>();

/**
 * Stored fields of a campaign, each with its column and places: `form` a person writes it; `shown` screens get
 * it; `reuse` «Reutilizar» and `resend` «Reenviar falhas» copy it; `export` the account export has it.
 */
export const CAMPAIGN_FIELDS = {
  name: text("name", ["form", "shown", "export"], "''"),
  text: text("text", ["form", "shown", "reuse", "resend", "export"], "''"),
  nameFallback: text("name_fallback", ["form", "shown", "reuse", "resend", "export"], "''"),
  variables: field<TypedVariable[]>()("variables", ["form", "shown", "reuse", "resend", "export"], "'[]'"),
  leaveHint: field<boolean>()("leave_hint", ["form", "shown", "reuse", "resend", "export"]),
  textVersion: number("text_version", ["resend", "export"]),
  attachmentId: id("attachment_id", ["form", "reuse", "resend", "export"], "null"),
  /** Messages that each person gets; the files of those after the first stand in a table of their own. */
  parts: number("parts", ["form", "reuse", "resend", "export"]),
  connectionId: id("connection_id", ["form", "shown", "reuse", "resend", "export"], "null"),
  connectionName: line("connection_name", ["shown", "export"], "null"),
  listId: id("list_id", ["form", "shown", "reuse", "resend", "export"], "null"),
  audience: field<Audience | null>()("audience", ["form", "shown", "reuse", "export"]),
  listName: line("list_name", ["shown", "resend", "export"], "null"),
  intervalS: number("interval_seconds", ["form", "shown", "reuse", "resend", "export"]),
  extraS: number("jitter_seconds", ["form", "shown", "reuse", "resend", "export"]),
  scheduledWall: line("scheduled_local", ["form", "export"]),
  zone: text("zone", ["form", "resend", "export"]),
  scheduledAt: field<Date | null>()("scheduled_at", ["form", "export"]),
  status: field<CampaignStatus>()("status", ["form", "export"]),
};

type Fields = typeof CAMPAIGN_FIELDS;
type Name = keyof Fields;
type ValueOf<N extends Name> = Fields[N] extends Field<infer T, Place> ? T : never;

export type CampaignFieldIn<P extends Place> = {
  [N in Name]: P extends Fields[N]["in"][number] ? N : never;
}[Name];

export type CampaignFields<P extends Place> = { [N in CampaignFieldIn<P>]: ValueOf<N> };

export function fieldsIn<P extends Place>(place: P): readonly CampaignFieldIn<P>[] {
  const entries = Object.entries(CAMPAIGN_FIELDS) as [Name, { in: readonly Place[] }][];
  return entries.flatMap(([name, { in: places }]) =>
    places.includes(place) ? [name as CampaignFieldIn<P>] : [],
  );
}

export const columnsIn = (place: Place): string[] =>
  fieldsIn(place).map((name) => CAMPAIGN_FIELDS[name].column);

/** The fields of a place, out of an object that has more. */
export function pickFields<P extends Place>(place: P, of: CampaignFields<P>): CampaignFields<P> {
  return Object.fromEntries(fieldsIn(place).map((name) => [name, of[name]])) as CampaignFields<P>;
}

export const ERASE_CAMPAIGN = Object.values(CAMPAIGN_FIELDS)
  .flatMap(({ column, erased }) => (erased === undefined ? [] : `${column} = ${erased}`))
  .join(", ");
