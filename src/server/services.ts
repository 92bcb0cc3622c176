import { randomInt } from "node:crypto";
import type { Logger } from "pino";
import type { Clock } from "../domain/clock.ts";
import { accountGuard } from "./accounts/limits.ts";
import { argon2idHasher, boundedHasher } from "./accounts/password.ts";
import { type AccountService, accountService } from "./accounts/service.ts";
import { type SessionEnds, watchSessionEnds } from "./accounts/session-ends.ts";
import { keepTerms, loadTerms } from "./accounts/terms.ts";
import { type CampaignService, campaignService } from "./campaigns/service.ts";
import { type Changes, openChanges } from "./changes.ts";
import type { Config } from "./config.ts";
import { type DashboardService, dashboardService } from "./dashboard/service.ts";
import type { Storage } from "./storage.ts";

export type ServiceDeps = { config: Config; storage: Storage; clock: Clock; log: Logger };

/** The features, built: what http mounts and what works in the background. */
export type Services = {
  accounts: AccountService;
  campaigns: CampaignService;
  changes: Changes;
  dashboard: DashboardService;
  sessionEnds: SessionEnds;
  /** Connections whose lane this process owns, and how many of them are connected: for /api/health. */
  lanes(): { owned: number; connected: number };
  /** Ends open streams, so that the HTTP server has nothing left to wait for. */
  endStreams(): Promise<void>;
  /** Gives back what this process works on: lanes and jobs. Called when no request is running any more. */
  stop(): Promise<void>;
};

/** Builds every feature with what it needs. A feature adds its lines here, in the order in which they depend on each other. */
export async function composeServices({ config, storage, clock, log }: ServiceDeps): Promise<Services> {
  const { database, secrets } = storage;
  const changes = await openChanges(database, log);

  // accounts
  const terms = loadTerms(config.termsFile);
  await keepTerms(database.db, terms);
  const sessionEnds = await watchSessionEnds(database);
  const accounts = accountService({
    database,
    clock,
    log,
    secret: secrets.derive("session cookie").toString("base64url"),
    publicUrl: config.publicUrl,
    terms,
    hasher: boundedHasher(argon2idHasher),
    guard: accountGuard(database),
  });

  // connections and sending

  // contacts, campaigns, files, dashboard
  const campaigns = campaignService({ clock, changes, random32: () => randomInt(2 ** 32) });
  const dashboard = dashboardService({ clock, campaigns });

  return {
    accounts,
    campaigns,
    changes,
    dashboard,
    sessionEnds,
    lanes: () => ({ owned: 0, connected: 0 }),
    endStreams: () => changes.close(),
    async stop() {
      await sessionEnds.close();
    },
  };
}
