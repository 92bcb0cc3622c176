import { buffer } from "node:stream/consumers";
import { sql } from "kysely";
import { GATEWAY_BYTES } from "../../../domain/attachment.ts";
import { AppError } from "../../../domain/errors.ts";
import type { Db } from "../../db/client.ts";
import type { OutgoingFile, Transport } from "../../transports/transport.ts";

export type ReadFile = (db: Db, attachmentId: number) => Promise<OutgoingFile | undefined>;

/** False: upload again; WhatsApp deletes files sooner than a campaign may end. */
const isThere = (transport: Transport, media: unknown): boolean => transport.lasts?.(media) ?? true;

const OLD = "old";

/** SQL: connection `k` has usable uploads of all files of campaign `c`. */
export const HAS_UPLOADS = sql<boolean>`((select count(*) from campaign_upload u
    where u.campaign_id = c.id and u.pairing = k.pairing and u.media -> ${sql.lit(OLD)} is null)
  >= c.parts - case when c.attachment_id is null then 1 else 0 end)`;

/** `part`: which of its messages carries the file; absent: its only one. */
type CampaignFile = { id: number; part?: number; attachmentId: number };

/** Files as the transport wants them: uploaded once, or as bytes. */
export class OutgoingMedia {
  readonly #db: Db;
  readonly #transport: Transport;
  readonly #readFile: ReadFile;
  readonly #uploads = new Map<string, Promise<unknown>>();
  #last: { attachmentId: number; media: Promise<unknown> } | null = null;

  constructor(db: Db, transport: Transport, readFile: ReadFile) {
    this.#db = db;
    this.#transport = transport;
    this.#readFile = readFile;
  }

  /**
   * The uploaded file, one per message of a campaign and pairing, so that an id always carries the same content
   * while WhatsApp keeps it. Throws `StopError` when the channel is down.
   */
  async ofCampaign({ part = 0, ...campaign }: CampaignFile): Promise<unknown> {
    if (!this.#transport.upload) return this.#bytesOf(campaign.attachmentId);
    const pairing = this.#transport.pairing() ?? "";
    return this.#once(`${campaign.id} ${part} ${pairing}`, () =>
      this.#uploadOf({ ...campaign, part }, pairing),
    );
  }

  async #uploadOf(file: Required<CampaignFile>, pairing: string): Promise<unknown> {
    const known = await sql<{ media: unknown }>`select media from campaign_upload
      where campaign_id = ${file.id} and part = ${file.part} and pairing = ${pairing}`.execute(this.#db);
    const [before] = known.rows;
    if (before && isThere(this.#transport, before.media)) return before.media;
    return this.#uploadForCampaign(file, pairing, before?.media);
  }

  /** A lane with several slots would upload a new campaign's file once for each. */
  #once(name: string, upload: () => Promise<unknown>): Promise<unknown> {
    const running = this.#uploads.get(name) ?? upload().finally(() => this.#uploads.delete(name));
    this.#uploads.set(name, running);
    return running;
  }

  async ofDirect(message: { id: number; attachmentId: number }): Promise<unknown> {
    if (!this.#transport.upload) return this.#bytesOf(message.attachmentId);
    const pairing = this.#transport.pairing() ?? "";
    const known = await sql<{ media: unknown }>`select media from outbox
      where id = ${message.id} and media_pairing = ${pairing}`.execute(this.#db);
    const [before] = known.rows;
    if (before && isThere(this.#transport, before.media)) return before.media;
    const media = await this.#upload(message.attachmentId);
    await sql`update outbox set media = ${JSON.stringify(media)}::jsonb, media_pairing = ${pairing}
      where id = ${message.id}`.execute(this.#db);
    return media;
  }

  async #uploadForCampaign(
    { id, part, attachmentId }: Required<CampaignFile>,
    pairing: string,
    before: unknown,
  ): Promise<unknown> {
    const file = await this.#fileOf(attachmentId);
    const old = JSON.stringify(before ?? {});
    // Until replaced it is sent to no one, but recipients may still request it.
    if (before)
      await sql`update campaign_upload set media = media || jsonb_build_object(${OLD}::text, true)
        where campaign_id = ${id} and part = ${part} and pairing = ${pairing} and media = ${old}::jsonb`.execute(
        this.#db,
      );
    const uploaded = JSON.stringify(await this.#transport.upload?.(file));
    const kept = await sql<{
      media: unknown;
    }>`insert into campaign_upload as u (campaign_id, part, pairing, media)
      values (${id}, ${part}, ${pairing}, ${uploaded}::jsonb)
      on conflict (campaign_id, part, pairing) do update set
        media = case when u.media - ${OLD}::text = ${old}::jsonb - ${OLD}::text then excluded.media else u.media end
      returning media`.execute(this.#db);
    return kept.rows[0]?.media;
  }

  /** Throws `attachment_lost`. */
  async #fileOf(attachmentId: number): Promise<OutgoingFile> {
    const file = await this.#readFile(this.#db, attachmentId);
    if (!file) throw new AppError("attachment_lost");
    return file;
  }

  async #upload(attachmentId: number): Promise<unknown> {
    return this.#transport.upload?.(await this.#fileOf(attachmentId));
  }

  /** Read once for all recipients in a row; a failure is not kept. */
  #bytesOf(attachmentId: number): Promise<unknown> {
    if (this.#last?.attachmentId === attachmentId) return this.#last.media;
    const media = this.#fileOf(attachmentId).then(asText);
    this.#last = { attachmentId, media };
    media.catch(() => {
      this.#last = null;
    });
    return media;
  }
}

/** A larger file passes no gateway, and its bytes would fill the memory first. Throws `attachment_too_large`. */
async function asText({ kind, mime, name, size, open }: OutgoingFile) {
  if (size > GATEWAY_BYTES) throw new AppError("attachment_too_large");
  return { kind, mime, name, base64: (await buffer(await open())).toString("base64") };
}
