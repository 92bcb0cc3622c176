import { sql } from "kysely";
import type { NumberChecks } from "../../../contract/audiences.ts";
import { AppError } from "../../../domain/errors.ts";
import { CHECKS_MOST } from "../../../domain/number-checks.ts";
import { inTransaction, type Owner } from "../../db/owner.ts";
import { checkedPhones } from "../addresses/addresses.ts";
import { wakeLane } from "../ledger/signals.ts";
import { connectionOf } from "./audience.ts";
import { askedPeople } from "./audience-count.ts";
import type { AskedAudience } from "./audience-people.ts";
import { warmPhones } from "./plan-use.ts";

/** SQL rows `phone`: they get it, and may not be on WhatsApp. */
async function unknownPhones(owner: Owner, question: AskedAudience, connectionId: number) {
  const { accountId } = owner;
  return sql`with ${warmPhones(connectionId, accountId)},
      answered as materialized (${checkedPhones({ accountId, connectionId })})
    select j.phone from (${await askedPeople(owner, question)}) j
    where j.line is null and not exists (select from warm where warm.phone = j.phone)
      and not exists (select from answered where answered.phone = j.phone)
      and not exists (select from number_check n where n.connection_id = ${connectionId} and n.phone = j.phone)`;
}

type Number = { id: number; isOld: boolean };

async function numberOf(owner: Owner, { connectionId }: AskedAudience): Promise<Number | null> {
  const { accountId, db } = owner;
  const serving = await connectionOf(db, { accountId, connectionId });
  const { rows } = await sql<Number>`select id, created_at < now() - interval '1 day' as "isOld"
    from connection where id = ${serving?.id ?? null} and account_id = ${accountId}::uuid`.execute(db);
  return rows[0] ?? null;
}

/** Of the audience, and how many numbers wait for an answer. */
export async function countNumberChecks(owner: Owner, question: AskedAudience): Promise<NumberChecks> {
  const number = await numberOf(owner, question);
  const phones = await unknownPhones(owner, question, number?.id ?? 0);
  if (!number) return { unchecked: 0, waiting: 0, may: "no_number" };
  const { rows } = await sql<{ unchecked: number; waiting: number }>`
    select (select count(*) from (${phones}) u)::float8 as unchecked,
      (select count(*) from number_check where connection_id = ${number.id})::float8 as waiting`.execute(
    owner.db,
  );
  const { unchecked = 0, waiting = 0 } = rows[0] ?? {};
  const may = !number.isOld ? "new_number" : unchecked + waiting > CHECKS_MOST ? "too_many" : "yes";
  return { unchecked, waiting, may };
}

/** The number's lane asks WhatsApp about them slowly. Throws `number_checks_refused`. */
export function askNumberChecks(owner: Owner, question: AskedAudience): Promise<NumberChecks> {
  return inTransaction(owner, async (tx) => {
    const number = await numberOf(tx, question);
    const { may } = await countNumberChecks(tx, question);
    if (!number || may !== "yes") throw new AppError("number_checks_refused", { may });
    await sql`insert into number_check (connection_id, phone)
      select ${number.id}, u.phone from (${await unknownPhones(tx, question, number.id)}) u
      order by u.phone on conflict do nothing`.execute(tx.db);
    await wakeLane(tx.db, number.id);
    return countNumberChecks(tx, question);
  });
}
