import { sql } from "kysely";
import { type PhoneReading, readPhone } from "../../../domain/phone-foreign.ts";
import type { Owner } from "../../db/owner.ts";

/** As we tell of numbers ourselves: in conversations, in lists, in the addresses of messages that are passed on. */
const TOLD = /^[1-9]\d{6,14}$/;

/**
 * A phone as somebody's program writes it: read as typed (`readPhone`), but digits that are those of a person abroad whom the account knows
 * mean that person. Read as typed, the answer to a customer in Peru, 51987654321, would go to a stranger in Porto Alegre.
 */
export async function readKnownPhone(owner: Owner, typed: string): Promise<PhoneReading> {
  const reading = readPhone(typed);
  const digits = typed.trim();
  if (!TOLD.test(digits) || ("phone" in reading && reading.phone === digits)) return reading;
  const abroad = readPhone(`+${digits}`);
  const isWhole = "phone" in abroad && abroad.phone === digits;
  return isWhole && (await isKnown(owner, digits)) ? abroad : reading;
}

/** Somebody of a conversation or a list, or who left. */
async function isKnown(owner: Owner, phone: string): Promise<boolean> {
  const account = sql`${owner.accountId}::uuid`;
  const { rows } = await sql`select where
    exists (select from connection k join chat c on c.connection_id = k.id and c.phone = ${phone}::bigint
      where k.account_id = ${account} and k.desired <> 'removed')
    or exists (select from contact_list l join contact k on k.list_id = l.id and k.phone = ${phone}::bigint
      where l.account_id = ${account})
    or exists (select from opt_out where account_id = ${account} and phone = ${phone}::bigint)`.execute(
    owner.db,
  );
  return rows.length > 0;
}
