import { sql } from "kysely";
import { DELIVERY } from "../../../domain/delivery.ts";
import { AppError } from "../../../domain/errors.ts";
import { encodeMessageId } from "../../../domain/message-id.ts";
import type { Owner } from "../../db/owner.ts";
import type { AboutMessage } from "../../transports/transport.ts";
import { loadMessageKey } from "../ledger/message-key.ts";
import { contentOf } from "./content.ts";

export type Referred =
  | { outboxId: number }
  | { campaignId: number; seq: number; part: number }
  | { received: AboutMessage };

export async function aboutOf(owner: Owner, connectionId: number, of: Referred): Promise<AboutMessage> {
  if ("received" in of) return of.received;
  const found = await ("outboxId" in of
    ? sentAs(owner, connectionId, of)
    : campaignedAs(owner, connectionId, of));
  if (!found) throw new AppError("message_not_at_whatsapp");
  return { ...found, fromMe: true, participant: null };
}

type Found = Pick<AboutMessage, "id" | "text"> | null;

async function sentAs(
  { db, accountId }: Owner,
  connectionId: number,
  of: { outboxId: number },
): Promise<Found> {
  const { rows } = await sql<{ id: string | null; text: string }>`
    select case k.kind when 'device' then o.message_id else (
      select p.provider_id from provider_message p where p.outbox_id = o.id order by p.created_at desc limit 1) end as id, o.text
    from outbox o join connection k on k.id = o.connection_id
    where o.id = ${of.outboxId} and o.account_id = ${accountId}::uuid and o.connection_id = ${connectionId}
      and o.status >= ${DELIVERY.accepted}`.execute(db);
  const [row] = rows;
  return row?.id ? { id: row.id, text: row.text } : null;
}

async function campaignedAs(
  { db, accountId }: Owner,
  connectionId: number,
  { campaignId, seq, part }: { campaignId: number; seq: number; part: number },
): Promise<Found> {
  const { rows } = await sql<{ kind: string; nonce: number; generation: number; given: string | null }>`
    select k.kind, c.nonce, coalesce(s.resend_number, d.resend_number) as generation, (
      select p.provider_id from provider_message p where p.campaign_id = d.campaign_id and p.seq = d.seq and p.part = ${part}
        and p.resend_number = coalesce(s.resend_number, d.resend_number) limit 1) as given
    from campaign c join connection k on k.id = c.connection_id
      join delivery d on d.campaign_id = c.id and d.seq = ${seq}
      left join delivery_part s on s.campaign_id = c.id and s.seq = d.seq and s.part = ${part} and s.status >= ${DELIVERY.accepted}
    where (d.status >= ${DELIVERY.accepted} or s.part is not null) and c.id = ${campaignId} and c.account_id = ${accountId}::uuid and c.connection_id = ${connectionId}`.execute(
    db,
  );
  const [row] = rows;
  if (!row) return null;
  const { kind, nonce, generation, given } = row;
  const key = await loadMessageKey(db);
  const own = encodeMessageId(key, { nonce, seq, generation, part });
  const id = kind === "device" ? own : given;
  const content = await contentOf(db, key, null, own);
  return id === null ? null : { id, text: content?.text ?? "" };
}
