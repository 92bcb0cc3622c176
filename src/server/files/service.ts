import { type Image, MAX_IMAGE_BYTES } from "../../contract/files.ts";
import { AppError } from "../../domain/errors.ts";
import type { Db } from "../db/client.ts";
import type { Owner } from "../db/owner.ts";
import { inOwnTurn } from "../in-turn.ts";
import type { GuardedFetch } from "../net/guarded-fetch.ts";
import { cleanImage } from "./images.ts";
import { deleteUnusedImages, findImage, hasImage, insertImage } from "./repo.ts";

export type FileService = ReturnType<typeof fileService>;

const FETCH_MS = 30_000;
/** WhatsApp itself makes pictures smaller; what people send as they are may be larger than what they upload here. */
const MAX_RECEIVED_BYTES = 8 * 1024 * 1024;

/** Pictures of campaigns and messages: checked, made ours, private to their account. */
export function fileService({ guardedFetch }: { guardedFetch: GuardedFetch }) {
  // One of an account's at a time, so that whoever sends a hundred is not before everybody else's.
  const inRow = inOwnTurn(1);
  const keep = async (owner: Owner, file: Uint8Array, maxBytes?: number): Promise<Image> =>
    insertImage(owner, await inRow(owner.accountId, () => cleanImage(file, undefined, maxBytes)));

  return {
    forgetUnused: (db: Db): Promise<void> => deleteUnusedImages(db),

    /** Stores an uploaded file (a raw request body, already limited in size). */
    upload: async (
      owner: Owner,
      body: ReadableStream<Uint8Array>,
      contentType: string | null,
    ): Promise<Image> => {
      // A form would be several files and their names; the body is one picture.
      if (contentType?.startsWith("multipart/")) throw new AppError("unsupported_media_type");
      return keep(owner, await collect(body));
    },

    /** Fetches somebody's address and stores the picture found there. */
    uploadFrom: async (owner: Owner, address: string): Promise<Image> => {
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
      return keep(owner, body);
    },

    /** Stores a picture that somebody sent us; null for one that is too large, broken or none: of such only its message is kept. */
    keepReceived: async (owner: Owner, file: Uint8Array): Promise<number | null> => {
      try {
        return (await keep(owner, file, MAX_RECEIVED_BYTES)).id;
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

async function collect(body: ReadableStream<Uint8Array>): Promise<Buffer> {
  const chunks: Uint8Array[] = [];
  for await (const chunk of body) chunks.push(chunk);
  return Buffer.concat(chunks);
}
