import { sql } from "kysely";
import type { Owner } from "../../db/owner.ts";
import { holdsWords, phonePattern } from "../../db/search.ts";

export type OptOutRow = {
  phone: string;
  name: string | null;
  source: "reply" | "manual" | "asked";
  text: string | null;
  connection_name: string | null;
  created_at: Date;
  /** Microseconds: a page must not start inside a millisecond. */
  place: string;
};

const savedName = sql`(select p.name from person p
  where p.account_id = o.account_id and p.phone = o.phone and p.name <> '')`;

export type OptOutPlace = { at: string; phone: string };

const place = sql`(extract(epoch from o.created_at) * 1000000)::bigint::text`;

type Which = "left" | "undecided";

const ofKind = (which: Which) => (which === "undecided" ? sql`o.source = 'asked'` : sql`o.source <> 'asked'`);

export type WantedOptOuts = {
  which: Which;
  search: string;
  after: OptOutPlace | null;
  skip: number;
  limit: number;
};

export async function findOptOuts(
  owner: Owner,
  { which, search, after, skip, limit }: WantedOptOuts,
): Promise<OptOutRow[]> {
  const phone = phonePattern(search);
  const named = holdsWords("s.name", search);
  const matches =
    search === "" ? sql`true` : phone === null ? named : sql`(${named} or s.phone like ${phone})`;
  const behind =
    after === null
      ? sql`true`
      : sql`(${place}::bigint, o.phone) < (${after.at}::bigint, ${after.phone}::bigint)`;
  const part = sql`limit ${limit} offset ${skip}`;
  // Cuts the page before looking up names; a late page would need a hundred thousand.
  const own = sql`select * from opt_out o where o.account_id = ${owner.accountId}::uuid and ${ofKind(which)} and ${behind}
    order by o.created_at desc, o.phone desc ${search === "" ? part : sql``}`;
  const { rows } = await sql<OptOutRow>`select * from (
      select o.phone::text as phone, o.phone as number, ${savedName} as name, o.source, o.text, k.name as connection_name, o.created_at, ${place} as place
      from (${own}) o left join connection k on k.id = o.connection_id) s
    where ${matches} order by s.created_at desc, s.number desc ${search === "" ? sql`` : part}`.execute(
    owner.db,
  );
  return rows;
}

export async function findOptOut(owner: Owner, phone: string): Promise<OptOutRow | undefined> {
  const { rows } = await sql<OptOutRow>`select o.phone::text as phone, ${savedName} as name, o.source, o.text,
      k.name as connection_name, o.created_at, ${place} as place
    from opt_out o left join connection k on k.id = o.connection_id
    where o.account_id = ${owner.accountId}::uuid and o.phone = ${phone}::bigint`.execute(owner.db);
  return rows[0];
}

export async function countOptOuts(owner: Owner): Promise<Record<Which, number>> {
  const { rows } = await sql<Record<Which, number>>`select
      (count(*) filter (where ${ofKind("left")}))::int as left, (count(*) filter (where ${ofKind("undecided")}))::int as undecided
    from opt_out o where o.account_id = ${owner.accountId}::uuid`.execute(owner.db);
  return rows[0] ?? { left: 0, undecided: 0 };
}
