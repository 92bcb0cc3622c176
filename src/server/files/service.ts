import { type Image, MAX_IMAGE_BYTES } from "../../contract/files.ts";
import type { Clock } from "../../domain/clock.ts";
import { AppError } from "../../domain/errors.ts";
import type { Db } from "../db/client.ts";
import type { Owner } from "../db/owner.ts";
import type { GuardedFetch } from "../net/guarded-fetch.ts";
import type { CleanImage } from "./images.ts";
import type { PictureTurns } from "./picture-turns.ts";
import { deleteUnusedImages, findImage, hasImage, insertImage } from "./repo.ts";
import type { UploadFolder } from "./upload-folder.ts";

export type FileDeps = {
  guardedFetch: Pick<GuardedFetch, "fetch">;
  turns: PictureTurns;
  uploads: UploadFolder;
  clock: Pick<Clock, "now">;
};
export type FileService = ReturnType<typeof fileService>;

const FETCH_MS = 30_000;
/** WhatsApp itself makes pictures smaller; what people send as they are may be larger than what they upload here. */
const MAX_RECEIVED_BYTES = 8 * 1024 * 1024;

/** Pictures of campaigns and messages: checked, made ours, private to their account. */
export function fileService({ guardedFetch, turns, uploads, clock }: FileDeps) {
  const keep = async (owner: Owner, drawn: Promise<CleanImage>): Promise<Image> =>
    insertImage(owner, await drawn);

  return {
    forgetUnused: async (db: Db): Promise<void> => {
      await uploads.sweep(clock.now());
      await deleteUnusedImages(db);
    },

    /** Stores an uploaded file (a raw request body, already limited in size). */
    upload: async (
      owner: Owner,
      body: ReadableStream<Uint8Array>,
      { headers, signal }: Pick<Request, "headers" | "signal">,
    ): Promise<Image> => {
      // A form would be several files and their names; the body is one picture.
      if (headers.get("content-type")?.startsWith("multipart/")) throw new AppError("unsupported_media_type");
      const { accountId } = owner;
      const bytes = Number(headers.get("content-length") ?? MAX_IMAGE_BYTES);
      const picture = uploads.during({ accountId, bytes, body }, (file) =>
        turns.draw(accountId, file, { signal }),
      );
      return keep(owner, picture);
    },

    /** Fetches somebody's address and stores the picture found there. */
    uploadFrom: (owner: Owner, address: string): Promise<Image> =>
      turns.fetch(owner.accountId, async () => {
        const { status, body } = await guardedFetch
          .fetch(address, {
            ...{ maxBytes: MAX_IMAGE_BYTES, timeoutMs: FETCH_MS, headers: { accept: "image/*" } },
            // Links that are shared (Drive, Dropbox, short ones) lead to the picture.
            redirects: 3,
          })
          .catch((error: unknown) => {
            const tooLarge = error instanceof AppError && error.details.reason === "too_large";
            throw tooLarge ? new AppError("image_too_large") : error;
          });
        if (status !== 200) throw new AppError("url_failed", { reason: "status", status });
        return keep(owner, turns.draw(owner.accountId, body));
      }),

    /** Stores a picture that somebody sent us; null for one that is too large, broken or none: of such only its message is kept. */
    keepReceived: async (owner: Owner, file: Uint8Array): Promise<number | null> => {
      try {
        const { accountId } = owner;
        return (await keep(owner, turns.drawReceived(accountId, file, { maxBytes: MAX_RECEIVED_BYTES }))).id;
      } catch (error) {
        if (error instanceof AppError) return null;
        throw error;
      }
    },

    /** Throws `not_found` unless the picture is the account's own. */
    require: async (owner: Owner, id: number): Promise<void> => {
      if (!(await hasImage(owner, id))) throw new AppError("not_found");
    },

    /** The picture's bytes as an answer that no browser would run as anything else. */
    show: async (owner: Owner, id: number): Promise<Response> => {
      const image = await findImage(owner, id);
      if (!image) throw new AppError("not_found");
      return new Response(new Uint8Array(image.bytes), {
        headers: {
          "content-type": image.mime,
          "content-length": String(image.bytes.byteLength),
          "content-security-policy": "default-src 'none'; sandbox",
          "content-disposition": "inline",
          // Its id never gets other bytes; only this browser may keep them, and only for whoever is signed in now.
          "cache-control": "private, max-age=31536000, immutable",
          vary: "cookie",
        },
      });
    },
  };
}
