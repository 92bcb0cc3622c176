import fs from "node:fs";
import { Readable } from "node:stream";
import type { Attachment } from "../../contract/files.ts";
import {
  ATTACHMENT_BYTES,
  ATTACHMENT_MB,
  type AttachmentKind,
  LARGEST_ATTACHMENT,
  mostBytes,
  type SentAs,
} from "../../domain/attachment.ts";
import type { Clock } from "../../domain/clock.ts";
import { AppError } from "../../domain/errors.ts";
import { attachment } from "../../domain/file-name.ts";
import type { Db } from "../db/client.ts";
import type { Owner } from "../db/owner.ts";
import type { GuardedFetch } from "../net/guarded-fetch.ts";
import type { SaidFile } from "../transports/transport.ts";
import { isLost, openBytes, type ByteStore as Store } from "./byte-store.ts";
import * as counts from "./counts.ts";
import { judge } from "./judge.ts";
import { judgeReceived } from "./judge-received.ts";
import type { PartialUpload, PartialUploads } from "./partial-uploads.ts";
import type { PictureTurns as Turns } from "./picture-turns.ts";
import { readRange } from "./range.ts";
import * as reads from "./reads.ts";
import {
  deleteUnused,
  findFile,
  findKind,
  findNext,
  moveNext,
  type Place,
  removeUnused,
  type StoredFile,
  storeAttachment,
  sweepOrphans,
} from "./repo.ts";
import type { UploadFolder } from "./upload-folder.ts";

export const fileCounts = counts;

/** The installation draws and fetches few files at once. */
export type PictureTurns = Turns;

export type ByteStore = Store;

/** What other features read of attachments. */
export const fileReads = reads;

export type FileDeps = {
  guardedFetch: Pick<GuardedFetch, "fetch">;
  turns: PictureTurns;
  uploads: UploadFolder;
  received: UploadFolder;
  store: ByteStore;
  /** The installation's limit for what people and programs send; received files have WhatsApp's alone. */
  mostMb?: number;
  clock: Pick<Clock, "now">;
};

type Named = { name: string; as?: SentAs | undefined };

const FETCH_MS = 30_000;
/** A fetched file waits in memory. */
const MAX_FETCHED_MB = 16;

export class FileService {
  readonly #deps: FileDeps;

  constructor(deps: FileDeps) {
    this.#deps = deps;
  }

  async pruneUnused(db: Db): Promise<void> {
    const { store, clock } = this.#deps;
    await deleteUnused(db, store);
    await sweepOrphans(db, store, clock.now());
  }

  /** Bytes of an older version or backup leave the database, and those of another store its disk. */
  async moveStored(db: Db): Promise<void> {
    const { store } = this.#deps;
    while (await moveNext(db, store));
    await store.gather?.();
  }

  async upload(
    owner: Owner,
    named: Named,
    body: ReadableStream<Uint8Array>,
    { headers, signal }: Pick<Request, "headers" | "signal">,
  ): Promise<Attachment> {
    // A multipart form is refused: the body must be one file.
    if (headers.get("content-type")?.startsWith("multipart/")) throw new AppError("unsupported_media_type");
    const { accountId } = owner;
    const bytes = Number(headers.get("content-length") ?? LARGEST_ATTACHMENT);
    const { uploads, clock, mostMb = ATTACHMENT_MB.most } = this.#deps;
    if (headers.has("content-length") && bytes > mostBytes("document", mostMb))
      throw new AppError("attachment_too_large", { mb: mostMb });
    const { bytes: waiting } = await uploads.partial.waitingOf(accountId, clock.now());
    return uploads.during({ accountId, bytes, waiting, body }, (file) =>
      this.#keep(owner, named, file, signal),
    );
  }

  async begin({ accountId }: Owner, bytes: number): Promise<PartialUpload> {
    const { uploads, clock, mostMb = ATTACHMENT_MB.most } = this.#deps;
    if (bytes > mostBytes("document", mostMb)) throw new AppError("attachment_too_large", { mb: mostMb });
    return uploads.begin(accountId, bytes, clock.now());
  }

  /** The partial file stays, so that completing may be repeated where its answer got lost. */
  async complete(
    owner: Owner,
    id: string,
    named: Named,
    { signal }: Pick<Request, "signal">,
  ): Promise<Attachment> {
    const { accountId } = owner;
    const { uploads } = this.#deps;
    const { offset, bytes } = await uploads.partial.find(accountId, id);
    if (offset !== bytes) throw new AppError("upload_offset", { offset });
    // A copy: a late piece could change the file after it was judged.
    const body = fs.createReadStream(uploads.partial.fileOf(accountId, id));
    return uploads.during({ accountId, bytes: 0, body }, (file) => this.#keep(owner, named, file, signal));
  }

  get partial(): Pick<PartialUploads, "find" | "append" | "remove"> {
    return this.#deps.uploads.partial;
  }

  sweepUploads(): Promise<void> {
    return this.#deps.uploads.sweep(this.#deps.clock.now());
  }

  /** Without a name it gets the address's last part. */
  uploadFrom(owner: Owner, address: string, named: Partial<Named> = {}): Promise<Attachment> {
    const { accountId } = owner;
    const { turns, uploads } = this.#deps;
    return turns.fetch(accountId, async () => {
      const fetched = await this.#download(address);
      const upload = { accountId, bytes: fetched.byteLength, body: Readable.from([fetched]) };
      return uploads.during(upload, (file) =>
        this.#keep(owner, { as: named.as, name: named.name ?? nameOf(address) }, file),
      );
    });
  }

  /**
   * Judged by content. Throws `attachment_empty`, `limit_reached`, `unavailable`, `too_many_requests`, and
   * `FileError`s of `body`.
   */
  async storeReceived(owner: Owner, said: SaidFile, body: AsyncIterable<Uint8Array>): Promise<number> {
    const { turns, received, store } = this.#deps;
    const { accountId } = owner;
    const draw = (picture: string) => turns.drawReceived(accountId, picture);
    const bytes = said.size ?? ATTACHMENT_BYTES[said.kind];
    return received.during({ accountId, bytes, body }, async (file) => {
      const judged = await judgeReceived(file, said, draw);
      return (await storeAttachment(owner, store, judged)).id;
    });
  }

  removeReceived(db: Db, ids: readonly number[], before: Date): Promise<void> {
    return removeUnused(db, this.#deps.store, ids, before);
  }

  async isLost(owner: Owner, id: number): Promise<boolean> {
    const file = await findFile(owner, id);
    return file !== undefined && isLost(this.#deps.store, file);
  }

  /** Every file of the account, for its export; a lost one has no pieces. */
  async *filesOf(owner: Owner): AsyncGenerator<{ id: number; pieces: AsyncIterable<Buffer> }> {
    let after = 0;
    for (let next = await findNext(owner, after); next; next = await findNext(owner, after)) {
      after = next.id;
      yield { id: next.id, pieces: piecesOf(this.#deps.store, next) };
    }
  }

  async kindOf(owner: Owner, id: number): Promise<AttachmentKind> {
    const kind = await findKind(owner, id);
    if (kind === null) throw new AppError("not_found");
    return kind;
  }

  /** Headers prevent browsers from executing the bytes. */
  async show(owner: Owner, id: number, { headers }: Pick<Request, "headers">): Promise<Response> {
    const file = await findFile(owner, id);
    if (!file) throw new AppError("not_found");
    const range = readRange(headers.get("range"), file.size);
    if (range === "unsatisfiable")
      return new Response(null, { status: 416, headers: { "content-range": `bytes */${file.size}` } });
    const body = await openBytes(this.#deps.store, file, range ?? undefined);
    const part = range && { "content-range": `bytes ${range.start}-${range.end}/${file.size}` };
    return new Response(Readable.toWeb(body) as ReadableStream<Uint8Array>, {
      status: range ? 206 : 200,
      headers: {
        ...headersOf(file),
        ...part,
        "content-length": String(range ? range.end - range.start + 1 : file.size),
      },
    });
  }

  async #keep(owner: Owner, { name, as }: Named, file: string, signal?: AbortSignal): Promise<Attachment> {
    const { turns, store, mostMb } = this.#deps;
    const draw = (picture: string) => turns.draw(owner.accountId, picture, signal ? { signal } : {});
    const judged = await judge(file, { name, as, mostMb, draw });
    return { ...(await storeAttachment(owner, store, judged)), reduced: judged.reduced };
  }

  async #download(address: string) {
    const { mostMb = MAX_FETCHED_MB } = this.#deps;
    const mb = Math.min(MAX_FETCHED_MB, mostMb);
    const { status, body } = await this.#deps.guardedFetch
      .fetch(address, {
        maxBytes: mb * 1024 * 1024,
        timeoutMs: FETCH_MS,
        headers: { accept: "*/*" },
        // Shared links (Drive, Dropbox, short ones) redirect to the file.
        redirects: 3,
      })
      .catch((error: unknown) => {
        const tooLarge = error instanceof AppError && error.details.reason === "too_large";
        throw tooLarge ? new AppError("attachment_too_large", { mb }) : error;
      });
    if (status !== 200) throw new AppError("url_failed", { reason: "status", status });
    return body;
  }
}

async function* piecesOf(store: ByteStore, place: Place): AsyncGenerator<Buffer> {
  try {
    for await (const piece of await openBytes(store, place)) yield piece as Buffer;
  } catch (error) {
    if (!(error instanceof AppError && error.code === "attachment_lost")) throw error;
  }
}

function nameOf(address: string): string {
  const last = new URL(address).pathname.split("/").at(-1) ?? "";
  try {
    return decodeURIComponent(last);
  } catch {
    return last;
  }
}

/** A document is only ever downloaded: its type would let a browser run it. */
function headersOf({ kind, mime, name }: StoredFile) {
  const isDocument = kind === "document";
  return {
    "content-type": isDocument ? "application/octet-stream" : mime,
    "content-disposition": isDocument ? attachment(name) : "inline",
    "content-security-policy": "default-src 'none'; sandbox",
    "x-content-type-options": "nosniff",
    "accept-ranges": "bytes",
    // An id's bytes never change; `private` limits the cache to this signed-in browser.
    "cache-control": "private, max-age=31536000, immutable",
    vary: "cookie",
  };
}
