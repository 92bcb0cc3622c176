import { sql } from "kysely";
import type { Db } from "../db/client.ts";
import { type OutgoingImage, StopError, type Transport } from "../transports/transport.ts";

/** A campaign as its lane sees it: the frozen content, and where people may still be found. */
export type LaneCampaign = {
  id: number;
  accountId: string;
  nonce: number;
  text: string;
  nameFallback: string;
  imageId: number | null;
  intervalS: number;
  extraS: number;
  /** People not yet handed out are left. */
  fresh: boolean;
  /** People given back wait to be handed out again. */
  waiting: boolean;
};

/** The campaigns that send through a connection now, oldest first. */
export async function readCampaigns(db: Db, connectionId: number): Promise<LaneCampaign[]> {
  const { rows } =
    await sql<LaneCampaign>`select id, account_id as "accountId", nonce, text, name_fallback as "nameFallback",
      image_id as "imageId", interval_s as "intervalS", extra_s as "extraS", cursor < total as fresh, n_waiting > 0 as waiting
    from campaign where connection_id = ${connectionId} and life = 'sending' order by id`.execute(db);
  return rows;
}

/**
 * Milliseconds since people were last handed out for a connection, null when nobody was: the pace outlives a restart. Not since the
 * last acknowledgement: the message on the wire of a killed process has none, and each new start would send one at once. Never
 * negative: a clock that was set back must not stop the lane for as long.
 */
export async function sinceLastClaim(db: Db, connectionId: number): Promise<number | null> {
  const { rows } = await sql<{
    ms: number | null;
  }>`select (extract(epoch from now() - max(claimed_at)) * 1000)::float8 as ms
    from campaign where connection_id = ${connectionId}`.execute(db);
  const ms = rows[0]?.ms ?? null;
  return ms === null ? null : Math.max(0, ms);
}

/** The stored bytes of an image. */
export async function readImage(db: Db, imageId: number): Promise<OutgoingImage | null> {
  const { rows } =
    await sql<OutgoingImage>`select bytes, mime, width, height from image where id = ${imageId}`.execute(db);
  return rows[0] ?? null;
}

/**
 * The campaign's image as the transport wants to refer to it: uploaded once per campaign and pairing, kept for every resend, so that
 * the same id always carries the same content. Throws `StopError` when the channel is down.
 */
export async function campaignMedia(
  db: Db,
  transport: Transport,
  campaign: { id: number; imageId: number },
): Promise<unknown> {
  const pairing = transport.pairing() ?? "";
  const known = await sql<{ media: unknown }>`select media from campaign_upload
    where campaign_id = ${campaign.id} and pairing = ${pairing}`.execute(db);
  if (known.rows[0]) return known.rows[0].media;
  const image = await readImage(db, campaign.imageId);
  if (!image) throw new StopError("upload_failed");
  const media = await uploadImage(transport, image);
  await sql`insert into campaign_upload (campaign_id, pairing, media)
    values (${campaign.id}, ${pairing}, ${JSON.stringify(media)}::jsonb) on conflict do nothing`.execute(db);
  return media;
}

/** Uploads an image through a transport that wants that; others get the bytes themselves. */
export async function uploadImage(transport: Transport, image: OutgoingImage): Promise<unknown> {
  return transport.upload
    ? transport.upload(image)
    : { base64: Buffer.from(image.bytes).toString("base64"), mime: image.mime };
}
