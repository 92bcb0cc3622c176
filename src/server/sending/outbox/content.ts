import { sql } from "kysely";
import { decodeMessageId } from "../../../domain/message-id.ts";
import { type FieldTexts, renderMessage } from "../../../domain/message-text.ts";
import type { Db } from "../../db/client.ts";
import type { Bearing, OutgoingContent } from "../../transports/transport.ts";
import { OUTGOING_TEXT } from "../ledger/outgoing-text.ts";

export type SentContent = OutgoingContent;

type Row = {
  text: string;
  name: string;
  nameFallback: string;
  version: number;
  vars: FieldTexts | null;
  hasAttachment: boolean;
  media: unknown;
};

/**
 * Rebuilds what was sent under an id: WhatsApp asks again when a phone could not decrypt it. Null for a
 * foreign id or an image uploaded under another pairing.
 */
export async function contentOf(
  db: Db,
  messageKey: Buffer,
  pairing: string | null,
  messageId: string,
): Promise<SentContent | null> {
  const ref = decodeMessageId(messageKey, messageId);
  if (ref) {
    const { rows } =
      await sql<Row>`select case when ${ref.part} = 0 then ${OUTGOING_TEXT} else '' end as text, d.name, c.name_fallback as "nameFallback",
        c.text_version as version, d.vars, ${ref.part} > 0 or c.attachment_id is not null as "hasAttachment", u.media
      from campaign c
        join delivery d on d.campaign_id = c.id and d.seq = ${ref.seq}
        left join campaign_upload u on u.campaign_id = c.id and u.part = ${ref.part} and u.pairing = ${pairing ?? ""}
      where c.nonce = ${ref.nonce} and c.parts > ${ref.part}`.execute(db);
    const row = rows[0];
    if (row) {
      if (row.hasAttachment && row.media === null) return null;
      return {
        text: renderMessage(row.text, row.name, row.nameFallback, row.version, row.vars),
        media: row.media,
        hasAttachment: row.hasAttachment,
      };
    }
  }
  const { rows } = await sql<
    SentContent & BearingRow
  >`select text, attachment_id is not null as "hasAttachment",
      case when media_pairing = ${pairing ?? ""} then media end as media, ${BEARING}
    from outbox where message_id = ${messageId}`.execute(db);
  const [row] = rows;
  if (!row || (row.hasAttachment && row.media === null)) return null;
  const { text, media, hasAttachment } = row;
  const bearing = bearingOf(row);
  return { text, media, hasAttachment, ...(bearing ? { bearing } : {}) };
}

export type BearingRow = { about: Bearing["of"] | null; action: "react" | "delete" | null; madeAt: number };

export const BEARING = sql.raw('about, action, (extract(epoch from created_at) * 1000)::bigint as "madeAt"');

export const bearingOf = ({ about = null, action, madeAt = 0 }: Partial<BearingRow>): Bearing | null =>
  about && { what: action ?? "quote", of: about, at: madeAt };
