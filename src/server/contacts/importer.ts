import { randomUUID } from "node:crypto";
import type { Logger } from "pino";
import type { Clock } from "../../domain/clock.ts";
import { AppError } from "../../domain/errors.ts";
import { type Changes, markPeople } from "../changes.ts";
import type { Database } from "../db/client.ts";
import { isDatabaseDown, isUniqueViolation } from "../db/faults.ts";
import { analyzeAfter, ImportGivenUp, runImport } from "./import.ts";
import { endFrozen, shortenImportLeases } from "./import-leases.ts";
import {
  type Claim,
  claimImport,
  failImport,
  failLostImports,
  findSpools,
  freeImports,
  releaseImport,
} from "./imports-repo.ts";
import type { Spool } from "./spool.ts";

export type ImporterDeps = {
  database: Database;
  spool: Spool;
  changes: Pick<Changes, "mark">;
  clock: Pick<Clock, "monotonic">;
  log: Logger;
  /** True when no other process can be on this database: what runs at our start belongs to nobody. */
  alone: boolean;
  maxRows?: number;
};

/** Works off the imports that wait: two at a time in a process, one of an account. */
export type Importer = {
  /** Cleans up after the last process, then looks for work now and every few seconds. */
  start(): Promise<void>;
  /** There is something new. */
  kick(): void;
  /** Ends what is lost, begins what can be begun; answers when all that it began is over. */
  tick(): Promise<void>;
  /** Gives back what runs; it begins anew at the next start. */
  stop(): Promise<void>;
};

const SLOTS = 2;
const LEASE_S = 30;
const TICK_MS = 5_000;
/** An import that took its process down so often is given up. */
const TRIES = 3;
/** A file that nobody has written to for so long and that no import waits for was left by a process that died. */
const ORPHAN_MS = 10 * 60_000;

export function contactImporter(deps: ImporterDeps): Importer {
  const { database, spool, changes, clock, log } = deps;
  const worker = randomUUID();
  const stopping = new AbortController();
  const running = new Set<Promise<void>>();
  let claiming = 0;
  let sweptAt = clock.monotonic();
  let timer: NodeJS.Timeout | undefined;

  async function sweep(idleMs: number): Promise<void> {
    sweptAt = clock.monotonic();
    spool.sweep(new Set(await findSpools(database.db, spool.folderId)), idleMs);
  }

  async function tick(): Promise<void> {
    // What a killed process leaves is too young at our start where others work on, and holds people for as long as nobody looks again.
    if (clock.monotonic() - sweptAt >= ORPHAN_MS) await sweep(ORPHAN_MS);
    for (const { id, account_id } of await failLostImports(database.db, spool.folderId))
      changes.mark(account_id, "imports", id);
    await shortenImportLeases(database.db, LEASE_S);
    await endFrozen(database.db, spool.folderId);
    const begun: Promise<void>[] = [];
    while (running.size + claiming < SLOTS && !stopping.signal.aborted) {
      claiming++;
      const claim = await claimNext().finally(() => claiming--);
      if (!claim) break;
      const work = perform(claim).finally(() => {
        running.delete(work);
        // The account's next file, or anybody's.
        kick();
      });
      running.add(work);
      begun.push(work);
    }
    await Promise.all(begun);
  }

  async function claimNext(): Promise<Claim | undefined> {
    try {
      return await claimImport(database.db, worker, spool.folderId, LEASE_S);
    } catch (error) {
      // Another process has begun one of the same account in this very moment.
      if (isUniqueViolation(error, "contact_import_running")) return undefined;
      throw error;
    }
  }

  async function perform(claim: Claim): Promise<void> {
    const tell = () => changes.mark(claim.account_id, "imports", claim.id);
    tell();
    let imported = 0;
    try {
      if (claim.tries > TRIES) throw new AppError("import_failed");
      imported = await runImport({ ...deps, worker, leaseS: LEASE_S }, claim, {
        signal: stopping.signal,
        onProgress: tell,
      });
      markPeople(changes, claim.account_id);
      spool.remove(claim.spool);
    } catch (error) {
      await settle(claim, error).catch((fault: unknown) =>
        // Its lease expires, and it begins anew.
        log.warn({ err: fault, importId: claim.id }, "end of an import could not be written"),
      );
    }
    tell();
    await analyzeAfter(imported, database).catch((error: unknown) =>
      log.warn({ err: error, importId: claim.id }, "imported people not analyzed yet"),
    );
  }

  async function settle(claim: Claim, error: unknown): Promise<void> {
    if (error instanceof ImportGivenUp) {
      if (stopping.signal.aborted) await releaseImport(database.db, worker, claim.id);
      return;
    }
    if (isDatabaseDown(error)) {
      log.warn({ err: error, importId: claim.id }, "import interrupted by the database, it will begin anew");
      return;
    }
    const fault = error instanceof AppError ? error : new AppError("import_failed");
    if (fault !== error) log.error({ err: error, importId: claim.id }, "unforeseen fault in an import");
    await failImport(database.db, worker, claim.id, fault);
    spool.remove(claim.spool);
  }

  function kick(): void {
    if (stopping.signal.aborted) return;
    tick().catch((error: unknown) => log.warn({ err: error }, "waiting imports could not be looked for"));
  }

  return {
    tick,
    kick,
    async start() {
      if (deps.alone) await freeImports(database.db, spool.folderId);
      await sweep(deps.alone ? 0 : ORPHAN_MS);
      timer = setInterval(kick, TICK_MS);
      kick();
    },
    async stop() {
      stopping.abort();
      clearInterval(timer);
      await Promise.allSettled(running);
    },
  };
}
