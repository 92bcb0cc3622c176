import { sql } from "kysely";
import type { Db } from "../../db/client.ts";
import { type OutgoingImage, StopError, type Transport } from "../../transports/transport.ts";

/** The stored bytes of an image. */
async function readImage(db: Db, imageId: number): Promise<OutgoingImage | null> {
  const { rows } =
    await sql<OutgoingImage>`select bytes, mime, width, height from image where id = ${imageId}`.execute(db);
  return rows[0] ?? null;
}

/** The picture whose bytes a transport without an upload sent last: a campaign's people all get the same one. */
const lastPicture = new WeakMap<Transport, { imageId: number; media: Promise<unknown> }>();

/** The bytes themselves, read once for all who get them in a row. Throws `StopError` when the picture is gone. */
function bytesOf(db: Db, transport: Transport, imageId: number): Promise<unknown> {
  const known = lastPicture.get(transport);
  if (known?.imageId === imageId) return known.media;
  const media = readImage(db, imageId).then((image) => {
    if (!image) throw new StopError("upload_failed");
    return { base64: Buffer.from(image.bytes).toString("base64"), mime: image.mime };
  });
  lastPicture.set(transport, { imageId, media });
  media.catch(() => lastPicture.delete(transport));
  return media;
}

/** False: it is to be uploaded anew, for WhatsApp keeps no file for as long as a campaign may go on, or stand still. */
const isThere = (transport: Transport, media: unknown): boolean => transport.lasts?.(media) ?? true;

/** In what is kept of an upload: it was too old to be sent. */
const OLD = "old";

/** Whether the connection `k` has the image of the campaign `c` at WhatsApp, to send it now. */
export const HAS_IMAGE = sql<boolean>`exists (
  select from campaign_upload u where u.campaign_id = c.id and u.pairing = k.pairing and u.media -> ${sql.lit(OLD)} is null)`;

/**
 * The campaign's image as the transport wants to refer to it: uploaded once per campaign and pairing and kept for every resend, so that the
 * same id carries the same content, for as long as it is there. Throws `StopError` when the channel is down.
 */
export async function campaignMedia(
  db: Db,
  transport: Transport,
  campaign: { id: number; imageId: number },
): Promise<unknown> {
  const { upload } = transport;
  if (!upload) return bytesOf(db, transport, campaign.imageId);
  const pairing = transport.pairing() ?? "";
  const known = await sql<{ media: unknown }>`select media from campaign_upload
    where campaign_id = ${campaign.id} and pairing = ${pairing}`.execute(db);
  const [before] = known.rows;
  if (before && isThere(transport, before.media)) return before.media;
  const image = await readImage(db, campaign.imageId);
  if (!image) throw new StopError("upload_failed");
  const old = JSON.stringify(before?.media ?? {});
  // Until it is taken anew it is sent to nobody, though whoever got it may ask for it again.
  if (before)
    await sql`update campaign_upload set media = media || jsonb_build_object(${OLD}::text, true)
      where campaign_id = ${campaign.id} and pairing = ${pairing} and media = ${old}::jsonb`.execute(db);
  const uploaded = JSON.stringify(await upload(image));
  // Of two uploads at once the first one kept is the campaign's.
  const kept = await sql<{ media: unknown }>`insert into campaign_upload as u (campaign_id, pairing, media)
    values (${campaign.id}, ${pairing}, ${uploaded}::jsonb)
    on conflict (campaign_id, pairing) do update set
      media = case when u.media - ${OLD}::text = ${old}::jsonb - ${OLD}::text then excluded.media else u.media end
    returning media`.execute(db);
  return kept.rows[0]?.media;
}

/** As `campaignMedia`, for a message of the outbox. */
export async function outboxMedia(
  db: Db,
  transport: Transport,
  message: { id: number; imageId: number },
): Promise<unknown> {
  const { upload } = transport;
  if (!upload) return bytesOf(db, transport, message.imageId);
  const pairing = transport.pairing() ?? "";
  const known = await sql<{ media: unknown }>`select media from outbox
    where id = ${message.id} and media_pairing = ${pairing}`.execute(db);
  const [before] = known.rows;
  if (before && isThere(transport, before.media)) return before.media;
  const image = await readImage(db, message.imageId);
  if (!image) throw new StopError("upload_failed");
  const media = await upload(image);
  await sql`update outbox set media = ${JSON.stringify(media)}::jsonb, media_pairing = ${pairing}
    where id = ${message.id}`.execute(db);
  return media;
}
