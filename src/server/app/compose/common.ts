import type { Logger } from "pino";
import type { Terms } from "../../../contract/accounts.ts";
import type { Clock } from "../../../domain/clock.ts";
import type { AccountLimits } from "../../accounts/limits.ts";
import { keepTerms, loadTerms } from "../../accounts/terms.ts";
import { repairTimeZones } from "../../accounts/time-zones.ts";
import type { Config } from "../../base/config.ts";
import { type Changes, openLiveUpdates } from "../../db/live-updates.ts";
import { keepServicePolicy } from "../../db/operator-services.ts";
import { PageStatements } from "../../db/page-statements.ts";
import { openWorkSignals, type WorkSignals } from "../../db/work-signals.ts";
import { type Jobs, openJobs } from "../../jobs/boss.ts";
import { Downloads } from "../../jobs/downloads.ts";
import { FairQueues } from "../../jobs/fair-queue.ts";
import type { Storage } from "../../postgres/storage.ts";
import type { SendingFigures } from "../../sending/sending.ts";

const ANSWER_MS = 90_000;
const OWNER_MS = 15_000;
/** After this time the page shows the test's status instead. */
const TEST_ANSWER_MS = 5_000;
const LOST_JOBS_S = 30;

/** Below the pool size, so that sign-ins and exports get a connection. */
const STATEMENTS = { running: 8, runningOfAccount: 4, waitingOfAccount: 200 };

/** A search occupies a database CPU for seconds; some are left for sending. */
const SEARCHES = { running: 4, runningOfAccount: 2, waitingOfAccount: 40 };

export type Waits = { answerMs: number; ownerMs: number; testMs: number };
const WAITS: Waits = { answerMs: ANSWER_MS, ownerMs: OWNER_MS, testMs: TEST_ANSWER_MS };

export type ServiceDeps = {
  config: Config;
  storage: Storage;
  clock: Clock;
  log: Logger;
  figures?: SendingFigures | undefined;
  outdated?: () => Promise<boolean>;
  statementFailed?: ((code: string | null) => void) | undefined;
  /** For tests; the environment sets neither. */
  limits?: AccountLimits;
  waits?: Waits;
};

/** What every feature is built from. */
export type Common = ServiceDeps &
  Pick<Storage, "database" | "pages" | "secrets"> & {
    waits: Waits;
    terms: { terms: Terms; termsInEnglish: Terms };
    /** False in a process that only serves pages. */
    works: boolean;
    changes: Changes;
    signals: WorkSignals;
    queues: FairQueues;
    statements: PageStatements;
    downloads: Downloads;
    jobs: Jobs;
  };

export async function composeCommon(deps: ServiceDeps): Promise<Common> {
  const { config, storage, clock, log, waits = WAITS } = deps;
  const { database, pages, secrets } = storage;
  const terms = loadTerms(config.termsFile);
  const termsInEnglish = loadTerms(config.termsFile, "en");
  for (const each of [terms, termsInEnglish]) await keepTerms(database.db, each);
  await repairTimeZones(database.db, log);
  if (config.process !== "worker") await keepServicePolicy(database.db, config.services);
  const changes = await openLiveUpdates(database, log);
  // A crashed predecessor may not have published its last changes.
  if (storage.kind === "external" && config.process !== "worker") await changes.publishAll();
  // Work for a worker is committed before its signal.
  const works = config.process !== "web";
  const signals = await openWorkSignals(database, log, works);
  const queues = new FairQueues(clock);
  const statements = new PageStatements({
    database: pages,
    turns: queues.open({ name: "statements", ...STATEMENTS }),
    searches: queues.open({ name: "searches", ...SEARCHES }),
    failed: deps.statementFailed,
  });
  const downloads = new Downloads(queues);
  const jobs = await openJobs(database, log, LOST_JOBS_S * config.timeScale, { works, signals });
  return {
    ...deps,
    waits,
    database,
    pages,
    secrets,
    terms: { terms, termsInEnglish },
    works,
    changes,
    signals,
    queues,
    statements,
    downloads,
    jobs,
  };
}
