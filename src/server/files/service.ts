import { type Image, MAX_IMAGE_BYTES } from "../../contract/files.ts";
import type { Clock } from "../../domain/clock.ts";
import { AppError } from "../../domain/errors.ts";
import type { Db } from "../db/client.ts";
import type { Owner } from "../db/owner.ts";
import type { GuardedFetch } from "../net/guarded-fetch.ts";
import * as counts from "./counts.ts";
import type { CleanImage } from "./images.ts";
import type { PictureTurns as Turns } from "./picture-turns.ts";
import * as reads from "./reads.ts";
import { deleteUnusedImages, findImage, hasImage, insertImage } from "./repo.ts";
import type { UploadFolder } from "./upload-folder.ts";

export const fileCounts = counts;

/** The installation draws and fetches few pictures at once. */
export type PictureTurns = Turns;

/** What other features read of pictures. */
export const fileReads = reads;

export type FileDeps = {
  guardedFetch: Pick<GuardedFetch, "fetch">;
  turns: PictureTurns;
  uploads: UploadFolder;
  clock: Pick<Clock, "now">;
};

const FETCH_MS = 30_000;
/** WhatsApp reduces pictures, but originals may exceed our upload limit. */
const MAX_RECEIVED_BYTES = 8 * 1024 * 1024;

export class FileService {
  readonly #deps: FileDeps;

  constructor(deps: FileDeps) {
    this.#deps = deps;
  }

  async pruneUnused(db: Db): Promise<void> {
    const { uploads, clock } = this.#deps;
    await uploads.sweep(clock.now());
    await deleteUnusedImages(db);
  }

  async upload(
    owner: Owner,
    body: ReadableStream<Uint8Array>,
    { headers, signal }: Pick<Request, "headers" | "signal">,
  ): Promise<Image> {
    // A multipart form is refused: the body must be one picture.
    if (headers.get("content-type")?.startsWith("multipart/")) throw new AppError("unsupported_media_type");
    const { accountId } = owner;
    const { uploads, turns } = this.#deps;
    const bytes = Number(headers.get("content-length") ?? MAX_IMAGE_BYTES);
    const picture = uploads.during({ accountId, bytes, body }, (file) =>
      turns.draw(accountId, file, { signal }),
    );
    return keep(owner, picture);
  }

  uploadFrom(owner: Owner, address: string): Promise<Image> {
    const { accountId } = owner;
    const { turns } = this.#deps;
    return turns.fetch(accountId, async () =>
      keep(owner, turns.draw(accountId, await this.#download(address))),
    );
  }

  /** Null for a picture too large or broken; its message is kept without it. */
  async storeReceived(owner: Owner, file: Uint8Array): Promise<number | null> {
    const limits = { maxBytes: MAX_RECEIVED_BYTES };
    try {
      return (await keep(owner, this.#deps.turns.drawReceived(owner.accountId, file, limits))).id;
    } catch (error) {
      if (error instanceof AppError) return null;
      throw error;
    }
  }

  async require(owner: Owner, id: number): Promise<void> {
    if (!(await hasImage(owner, id))) throw new AppError("not_found");
  }

  /** Headers prevent browsers from executing the bytes. */
  async show(owner: Owner, id: number): Promise<Response> {
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
  }

  async #download(address: string) {
    const { status, body } = await this.#deps.guardedFetch
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
    return body;
  }
}

async function keep(owner: Owner, drawn: Promise<CleanImage>): Promise<Image> {
  return insertImage(owner, await drawn);
}
