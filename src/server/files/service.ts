import { type Image, MAX_IMAGE_BYTES } from "../../contract/files.ts";
import type { Clock } from "../../domain/clock.ts";
import { AppError } from "../../domain/errors.ts";
import type { Db } from "../db/client.ts";
import type { Owner } from "../db/owner.ts";
import type { GuardedFetch } from "../net/guarded-fetch.ts";
import type { CleanImage } from "./images.ts";
import type { PictureTurns as Turns } from "./picture-turns.ts";
import { deleteUnusedImages, findImage, hasImage, insertImage } from "./repo.ts";
import type { UploadFolder } from "./upload-folder.ts";

/** The installation draws and fetches few pictures at once. */
export type PictureTurns = Turns;

export type FileDeps = {
  guardedFetch: Pick<GuardedFetch, "fetch">;
  turns: PictureTurns;
  uploads: UploadFolder;
  clock: Pick<Clock, "now">;
};
export type FileService = ReturnType<typeof fileService>;

const FETCH_MS = 30_000;
/** WhatsApp reduces pictures, but originals may exceed our upload limit. */
const MAX_RECEIVED_BYTES = 8 * 1024 * 1024;

export function fileService({ guardedFetch, turns, uploads, clock }: FileDeps) {
  const keep = async (owner: Owner, drawn: Promise<CleanImage>): Promise<Image> =>
    insertImage(owner, await drawn);

  return {
    pruneUnused: async (db: Db): Promise<void> => {
      await uploads.sweep(clock.now());
      await deleteUnusedImages(db);
    },

    upload: async (
      owner: Owner,
      body: ReadableStream<Uint8Array>,
      { headers, signal }: Pick<Request, "headers" | "signal">,
    ): Promise<Image> => {
      // A multipart form is refused: the body must be one picture.
      if (headers.get("content-type")?.startsWith("multipart/")) throw new AppError("unsupported_media_type");
      const { accountId } = owner;
      const bytes = Number(headers.get("content-length") ?? MAX_IMAGE_BYTES);
      const picture = uploads.during({ accountId, bytes, body }, (file) =>
        turns.draw(accountId, file, { signal }),
      );
      return keep(owner, picture);
    },

    uploadFrom: (owner: Owner, address: string): Promise<Image> =>
      turns.fetch(owner.accountId, async () => {
        const { status, body } = await guardedFetch
          .fetch(address, {
            maxBytes: MAX_IMAGE_BYTES,
            timeoutMs: FETCH_MS,
            headers: { accept: "image/*" },
            // Shared links (Drive, Dropbox, short ones) redirect to the picture.
            redirects: 3,
          })
          .catch((error: unknown) => {
            const tooLarge = error instanceof AppError && error.details.reason === "too_large";
            throw tooLarge ? new AppError("image_too_large") : error;
          });
        if (status !== 200) throw new AppError("url_failed", { reason: "status", status });
        return keep(owner, turns.draw(owner.accountId, body));
      }),

    /** Null for a picture too large or broken; its message is kept without it. */
    storeReceived: async (owner: Owner, file: Uint8Array): Promise<number | null> => {
      try {
        const { accountId } = owner;
        return (await keep(owner, turns.drawReceived(accountId, file, { maxBytes: MAX_RECEIVED_BYTES }))).id;
      } catch (error) {
        if (error instanceof AppError) return null;
        throw error;
      }
    },

    require: async (owner: Owner, id: number): Promise<void> => {
      if (!(await hasImage(owner, id))) throw new AppError("not_found");
    },

    /** Headers prevent browsers from executing the bytes. */
    show: async (owner: Owner, id: number): Promise<Response> => {
      const image = await findImage(owner, id);
      if (!image) throw new AppError("not_found");
      return new Response(new Uint8Array(image.bytes), {
        headers: {
          "content-type": image.mime,
          "content-length": String(image.bytes.byteLength),
          "content-security-policy": "default-src 'none'; sandbox",
          "content-disposition": "inline",
          // An id's bytes never change; `private` limits the cache to this signed-in browser.
          "cache-control": "private, max-age=31536000, immutable",
          vary: "cookie",
        },
      });
    },
  };
}
