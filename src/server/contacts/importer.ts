import { randomUUID } from "node:crypto";
import type { Logger } from "pino";
import type { Clock } from "../../domain/clock.ts";
import { AppError } from "../../domain/errors.ts";
import type { Database } from "../db/client.ts";
import type { ErasedSecrets } from "../db/erased-people.ts";
import { isDatabaseDown, isUniqueViolation } from "../db/errors.ts";
import { type Changes, publishPeople } from "../db/live-updates.ts";
import type { FairQueue, FairQueues } from "../jobs/fair-queue.ts";
import { openSizedQueues, SMALL_BYTES } from "../jobs/sized-queues.ts";
import { StoredWork } from "../jobs/stored-work.ts";
import { deleteOldDrafts } from "./drafts-repo.ts";
import { analyzeAfter, ImportGivenUp, runImport } from "./import.ts";
import { endFrozen, shortenImportLeases } from "./import-leases.ts";
import {
  type Claim,
  claimImport,
  failImport,
  failLostImports,
  findAccountsToImport,
  findSpools,
  freeImports,
  type ImportSize,
  releaseImport,
} from "./imports-repo.ts";
import type { Spool } from "./spool.ts";

export type ImporterDeps = {
  database: Database;
  spool: Spool;
  changes: Pick<Changes, "mark">;
  clock: Pick<Clock, "monotonic">;
  log: Logger;
  secrets: ErasedSecrets;
  queues: FairQueues;
  /** No other process uses this database. */
  alone: boolean;
  maxRows?: number;
};

/** Two large and two small per process, one per account, in turns. */
export type Importer = {
  start(): Promise<void>;
  kick(): void;
  /** Resolves when none is left. */
  tick(): Promise<void>;
  stop(): Promise<void>;
};

const AT_ONCE = 2;
const LEASE_S = 30;
const TICK_MS = 5_000;
/** Crashes before giving up. */
const TRIES = 3;
/** Then from a dead process. */
const ORPHAN_MS = 10 * 60_000;

export function contactImporter(deps: ImporterDeps): Importer {
  return new ContactImporter(deps);
}

class ContactImporter implements Importer {
  readonly #deps: ImporterDeps;
  readonly #worker = randomUUID();
  readonly #stopping = new AbortController();
  readonly #sizes: readonly StoredWork[];
  #sweptAt: number;
  #begun = 0;
  #timer: NodeJS.Timeout | undefined;

  constructor(deps: ImporterDeps) {
    this.#deps = deps;
    this.#sweptAt = deps.clock.monotonic();
    const { small, large } = openSizedQueues(deps.queues, {
      name: "imports",
      running: AT_ONCE,
      runningOfAccount: 1,
      waitingOfAccount: 1,
    });
    this.#sizes = [
      this.#storedWork(small, { from: 0, to: SMALL_BYTES }),
      this.#storedWork(large, { from: SMALL_BYTES + 1, to: Number.MAX_SAFE_INTEGER }),
    ];
  }

  async start(): Promise<void> {
    const { alone, database, spool } = this.#deps;
    if (alone) await freeImports(database.db, spool.folderId);
    await this.#sweep(alone ? 0 : ORPHAN_MS);
    this.#timer = setInterval(() => {
      this.#endLost().catch((error: unknown) => this.#failed(error));
      this.kick();
    }, TICK_MS);
    this.kick();
  }

  kick(): void {
    for (const size of this.#sizes) size.wake();
  }

  async tick(): Promise<void> {
    await this.#endLost();
    this.kick();
    await this.#idle();
  }

  async stop(): Promise<void> {
    this.#stopping.abort();
    clearInterval(this.#timer);
    await Promise.all(this.#sizes.map((size) => size.stop()));
  }

  async #idle(): Promise<void> {
    for (let begun = -1; begun !== this.#begun; ) {
      begun = this.#begun;
      for (const size of this.#sizes) await size.idle();
    }
  }

  #storedWork(queue: FairQueue, size: ImportSize): StoredWork {
    const { database, spool } = this.#deps;
    return new StoredWork(queue, {
      accounts: () => findAccountsToImport(database.db, spool.folderId, size),
      work: (accountId) => this.#importNext(accountId, size),
      failed: (error) => this.#failed(error),
    });
  }

  async #endLost(): Promise<void> {
    const { clock, database, spool, changes } = this.#deps;
    // A killed process's files are too young at start.
    if (clock.monotonic() - this.#sweptAt >= ORPHAN_MS) await this.#sweep(ORPHAN_MS);
    for (const { id, account_id } of await failLostImports(database.db, spool.folderId))
      changes.mark(account_id, "imports", id);
    await shortenImportLeases(database.db, LEASE_S);
    await endFrozen(database.db, spool.folderId);
  }

  async #sweep(idleMs: number): Promise<void> {
    const { clock, database, spool } = this.#deps;
    this.#sweptAt = clock.monotonic();
    await deleteOldDrafts(database.db);
    spool.sweep(new Set(await findSpools(database.db, spool.folderId)), idleMs);
  }

  async #importNext(accountId: string, size: ImportSize): Promise<boolean> {
    if (this.#stopping.signal.aborted) return false;
    const claim = await this.#claim(accountId, size);
    if (!claim) return false;
    this.#begun++;
    await this.#perform(claim);
    // It may have waited with the other size.
    for (const other of this.#sizes) other.wake(accountId);
    return true;
  }

  async #claim(accountId: string, size: ImportSize): Promise<Claim | undefined> {
    const { database, spool } = this.#deps;
    const by = { worker: this.#worker, folder: spool.folderId, leaseS: LEASE_S };
    try {
      return await claimImport(database.db, by, { accountId, size });
    } catch (error) {
      // Started elsewhere just now.
      if (isUniqueViolation(error, "contact_import_running")) return undefined;
      throw error;
    }
  }

  async #perform(claim: Claim): Promise<void> {
    const { changes, database, log, spool } = this.#deps;
    const tell = () => changes.mark(claim.account_id, "imports", claim.id);
    tell();
    let imported = 0;
    try {
      if (claim.tries > TRIES) throw new AppError("import_failed");
      imported = await runImport({ ...this.#deps, worker: this.#worker, leaseS: LEASE_S }, claim, {
        signal: this.#stopping.signal,
        onProgress: tell,
      });
      publishPeople(changes, claim.account_id);
      spool.remove(claim.spool);
    } catch (error) {
      await this.#settle(claim, error).catch((settleError: unknown) =>
        // Its lease expires and it restarts.
        log.warn({ err: settleError, importId: claim.id }, "end of an import could not be written"),
      );
    }
    tell();
    await analyzeAfter(imported, database).catch((error: unknown) =>
      log.warn({ err: error, importId: claim.id }, "imported people not analyzed yet"),
    );
  }

  async #settle(claim: Claim, error: unknown): Promise<void> {
    const { database, log, spool } = this.#deps;
    if (error instanceof ImportGivenUp) {
      if (this.#stopping.signal.aborted) await releaseImport(database.db, this.#worker, claim.id);
      return;
    }
    if (isDatabaseDown(error)) {
      log.warn({ err: error, importId: claim.id }, "import interrupted by the database, it will begin again");
      return;
    }
    const known = error instanceof AppError ? error : new AppError("import_failed");
    if (known !== error) log.error({ err: error, importId: claim.id }, "unforeseen error in an import");
    await failImport(database.db, this.#worker, claim.id, known);
    spool.remove(claim.spool);
  }

  #failed(error: unknown): void {
    this.#deps.log.warn({ err: error }, "waiting imports could not be looked for");
  }
}
