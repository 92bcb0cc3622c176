import { sql } from "kysely";
import { type PhoneReading, readPhone } from "../../../domain/phone-foreign.ts";
import type { Owner } from "../../db/owner.ts";
import { hasOptedOut } from "../ledger/left-out.ts";
import type { HasChat } from "./known-names.ts";

const INTERNATIONAL = /^[1-9]\d{6,14}$/;

/**
 * Reads a phone sent by a program (`readPhone`), except that digits of a known foreign person mean that
 * person. Otherwise an answer to 51987654321 in Peru would reach a stranger in Porto Alegre.
 */
export async function readKnownPhone(owner: Owner, typed: string, hasChat: HasChat): Promise<PhoneReading> {
  const reading = readPhone(typed);
  const digits = typed.trim();
  if (!INTERNATIONAL.test(digits) || ("phone" in reading && reading.phone === digits)) return reading;
  const abroad = readPhone(`+${digits}`);
  const isWhole = "phone" in abroad && abroad.phone === digits;
  return isWhole && (await isKnown(owner, digits, hasChat)) ? abroad : reading;
}

async function isKnown(owner: Owner, phone: string, hasChat: HasChat): Promise<boolean> {
  const account = sql`${owner.accountId}::uuid`;
  const { rows } = await sql`select where
    ${hasChat(sql`${phone}::bigint`)}
    or exists (select from person k where k.account_id = ${account} and k.phone = ${phone}::bigint)
    or ${hasOptedOut(account, sql`${phone}::bigint`)}`.execute(owner.db);
  return rows.length > 0;
}
