import type { Logger } from "pino";
import { ATTACHMENT_BYTES } from "../../domain/attachment.ts";
import type { Clock } from "../../domain/clock.ts";
import { AppError } from "../../domain/errors.ts";
import type { Db } from "../db/client.ts";
import type { Changes } from "../db/live-updates.ts";
import { ownerOf } from "../db/owner.ts";
import type { Secrets } from "../db/secrets.ts";
import type { FileService } from "../files/service.ts";
import type { FairQueue, FairQueues } from "../jobs/fair-queue.ts";
import { FileError, type LaneTransport } from "../transports/transport.ts";
import type { Place } from "./arrival.ts";
import { type BroughtFile, stateOf } from "./brought-file.ts";
import {
  type ComingFile,
  nextDue,
  postponeFile,
  settleFile,
  sourcePlace,
  takeComing,
} from "./received-files.ts";

type Turns = { streamed: FairQueue; held: FairQueue };

const waitingOfAccount = 1_000;
const STREAMED = { name: "received_files", running: 6, runningOfAccount: 2, waitingOfAccount };
const HELD = { name: "gateway_files", running: 2, runningOfAccount: 1, waitingOfAccount };

export const fileTurns = (queues: FairQueues): Turns => ({
  streamed: queues.open(STREAMED),
  held: queues.open(HELD),
});

type Source = Pick<LaneTransport, "ready" | "fetchFile" | "filesInMemory">;

type FetcherDeps = {
  db: Db;
  log: Logger;
  clock: Pick<Clock, "now">;
  after(ms: number, call: () => void): () => void;
  changes: Pick<Changes, "mark">;
  files: Pick<FileService, "storeReceived">;
  secrets: Pick<Secrets, "open">;
  turns: Turns;
  retryMs: number;
};

const TRIES = 3;
const AT_ONCE = 2;
/** A process that ended leaves its files to others after that time. */
const TAKEN_MS = 10 * 60_000;

type Work = { running: number; more: boolean; cancelTimer: () => void };

const none = (): Work => ({ running: 0, more: false, cancelTimer: () => undefined });

/** Fetches files of received messages, which are shown before. What is stored as coming survives a crash. */
export class FileFetcher {
  readonly #deps: FetcherDeps;
  readonly #work = new Map<number, Work>();
  readonly #abort = new AbortController();
  readonly #running = new Set<Promise<void>>();

  constructor(deps: FetcherDeps) {
    this.#deps = deps;
  }

  /** Call whenever there may be more, or the transport became ready. */
  look(place: Place, transport: Source): void {
    if (this.#abort.signal.aborted || !transport.fetchFile || !transport.ready()) return;
    const work = this.#work.get(place.connectionId) ?? none();
    this.#work.set(place.connectionId, work);
    if (work.running >= AT_ONCE) {
      work.more = true;
      return;
    }
    const done = this.#run(place, transport, work);
    this.#running.add(done);
    void done.finally(() => this.#running.delete(done));
  }

  async close(): Promise<void> {
    this.#abort.abort();
    for (const { cancelTimer } of this.#work.values()) cancelTimer();
    await Promise.all(this.#running);
  }

  async #run(place: Place, transport: Source, work: Work): Promise<void> {
    work.running += 1;
    try {
      await this.#fetchAll(place, transport);
      await this.#lookLater(place, transport, work);
    } catch (error) {
      this.#deps.log.warn({ err: error, ...place }, "received files not fetched");
    } finally {
      work.running -= 1;
    }
    if (!work.more) return;
    work.more = false;
    this.look(place, transport);
  }

  async #fetchAll(place: Place, transport: Source): Promise<void> {
    const { db, clock, turns } = this.#deps;
    while (!this.#abort.signal.aborted && transport.ready()) {
      const now = clock.now();
      const file = await takeComing(db, place, now, new Date(now.getTime() + TAKEN_MS));
      if (!file) return;
      this.look(place, transport);
      const queue = transport.filesInMemory ? turns.held : turns.streamed;
      await queue.runUnrefused(place.accountId, () => this.#fetchOne(place, transport, file));
    }
  }

  async #fetchOne(place: Place, transport: Source, file: ComingFile): Promise<void> {
    const { db, log, clock, changes, retryMs } = this.#deps;
    const owner = ownerOf(db, place.accountId);
    let end: BroughtFile;
    try {
      end = { state: "here", attachmentId: await this.#bring(place, transport, file) };
    } catch (error) {
      const again = isPassing(error) && file.tries < TRIES;
      if (again || this.#abort.signal.aborted) {
        log.info({ err: error, tries: file.tries }, "a received file was not fetched");
        const wait = this.#abort.signal.aborted ? 0 : retryMs * file.tries;
        return postponeFile(db, file.messageId, new Date(clock.now().getTime() + wait));
      }
      end = { state: stateOf(error, log), attachmentId: null };
    }
    const chatId = await settleFile(owner, file, end, clock.now());
    if (chatId !== null) changes.mark(place.accountId, "chats", chatId);
  }

  async #bring(place: Place, transport: Source, file: ComingFile): Promise<number> {
    const { db, files } = this.#deps;
    const { providerId, kind, size } = file;
    const body = await transport.fetchFile?.({
      providerId,
      source: this.#sourceOf(place, file),
      size,
      most: ATTACHMENT_BYTES[kind],
      signal: this.#abort.signal,
    });
    if (!body) throw new FileError("gone");
    return files.storeReceived(ownerOf(db, place.accountId), file, body);
  }

  #sourceOf({ connectionId }: Place, { source, providerId }: ComingFile): Buffer | null {
    try {
      return source && this.#deps.secrets.open(source, sourcePlace(connectionId, providerId));
    } catch {
      return null;
    }
  }

  async #lookLater(place: Place, transport: Source, work: Work): Promise<void> {
    const { db, clock, after } = this.#deps;
    const due = await nextDue(db, place);
    if (!due || this.#abort.signal.aborted) return;
    work.cancelTimer();
    const ms = Math.max(1, due.getTime() - clock.now().getTime());
    work.cancelTimer = after(ms, () => this.look(place, transport));
  }
}

function isPassing(error: unknown): boolean {
  if (error instanceof FileError) return error.cause === "unreachable" || error.cause === "changed";
  if (error instanceof AppError) return error.code === "unavailable" || error.code === "too_many_requests";
  return true;
}
