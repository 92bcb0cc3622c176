import { sql } from "kysely";
import type { Db } from "../../db/client.ts";
import { type OutgoingImage, StopError, type Transport } from "../../transports/transport.ts";

async function readImage(db: Db, imageId: number): Promise<OutgoingImage | null> {
  const { rows } =
    await sql<OutgoingImage>`select bytes, mime, width, height from image where id = ${imageId}`.execute(db);
  return rows[0] ?? null;
}

const lastPicture = new WeakMap<Transport, { imageId: number; media: Promise<unknown> }>();

/** Throws `StopError` when the picture is gone. */
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

/** False: upload again; WhatsApp deletes files sooner than a campaign may end. */
const isThere = (transport: Transport, media: unknown): boolean => transport.lasts?.(media) ?? true;

const OLD = "old";

/** SQL: connection `k` has a usable upload of campaign `c`'s image. */
export const HAS_IMAGE = sql<boolean>`exists (
  select from campaign_upload u where u.campaign_id = c.id and u.pairing = k.pairing and u.media -> ${sql.lit(OLD)} is null)`;

/**
 * The uploaded image, one per campaign and pairing, so that an id always carries the same content while
 * WhatsApp keeps it. Throws `StopError` when the channel is down.
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
  // Until replaced it is sent to no one, but recipients may still request it.
  if (before)
    await sql`update campaign_upload set media = media || jsonb_build_object(${OLD}::text, true)
      where campaign_id = ${campaign.id} and pairing = ${pairing} and media = ${old}::jsonb`.execute(db);
  const uploaded = JSON.stringify(await upload(image));
  const kept = await sql<{ media: unknown }>`insert into campaign_upload as u (campaign_id, pairing, media)
    values (${campaign.id}, ${pairing}, ${uploaded}::jsonb)
    on conflict (campaign_id, pairing) do update set
      media = case when u.media - ${OLD}::text = ${old}::jsonb - ${OLD}::text then excluded.media else u.media end
    returning media`.execute(db);
  return kept.rows[0]?.media;
}

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
