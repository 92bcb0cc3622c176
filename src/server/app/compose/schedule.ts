import type { Logger } from "pino";
import type { PasswordResets } from "../../accounts/reset.ts";
import type { AccountService } from "../../accounts/service.ts";
import type { AuditService } from "../../audit/service.ts";
import { pruneCampaigns } from "../../campaigns/forget.ts";
import { forgetReceivedFiles } from "../../chat/forget-files.ts";
import { pruneNotedRows } from "../../contacts/forget.ts";
import type { Db } from "../../db/client.ts";
import type { FileService } from "../../files/service.ts";
import type { Gateways } from "../../gateways/gateways.ts";
import type { Webhooks } from "../../gateways/webhooks.ts";
import type { ScheduledJob } from "../../jobs/boss.ts";
import type { NotificationsFeature } from "../../notifications/notifications.ts";
import { upkeepOf } from "../../sending/sending.ts";
import type { Common } from "./common.ts";

type Parts = {
  accounts: AccountService;
  audit: AuditService;
  files: FileService;
  gateways: Gateways;
  notifications: NotificationsFeature;
  resets: PasswordResets;
  webhooks: Webhooks;
};

/** Only in a process that works. */
export async function scheduleJobs(common: Common, parts: Parts): Promise<void> {
  await common.jobs.schedule(jobsOf(common, parts));
  // Our address may have changed since the last start.
  await common.jobs.runNow("set-webhooks");
}

function jobsOf({ config, database: { db }, clock, log, changes }: Common, parts: Parts): ScheduledJob[] {
  const { accounts, audit, files, gateways, notifications, resets, webhooks } = parts;
  return [
    { name: "set-webhooks", cron: "*/5 * * * *", run: gateways.setMissingHooks },
    { name: "recount", cron: "17 6 * * *", run: () => reportDifferences(db, log) },
    {
      name: "forget-sessions",
      cron: "37 6 * * *",
      run: async () => {
        await accounts.pruneSessions();
        await resets.pruneOld();
        await accounts.pruneInvitations();
      },
    },
    { name: "delete-campaign-people", cron: "* * * * *", run: () => pruneCampaigns(db, clock) },
    { name: "forget-relays", cron: "27 * * * *", run: webhooks.pruneOld },
    { name: "forget-letters", cron: "57 5 * * *", run: notifications.pruneOld },
    { name: "forget-events", cron: "7 5 * * *", run: audit.pruneOld },
    { name: "forget-attachments", cron: "27 5 * * *", run: () => files.pruneUnused(db) },
    { name: "forget-uploads", cron: "52 * * * *", run: () => files.sweepUploads() },
    {
      name: "forget-received-files",
      cron: "12 * * * *",
      run: () => forgetReceivedFiles({ db, clock, changes, files, days: config.mediaDays }),
    },
    { name: "move-attachments", cron: "*/10 * * * *", run: () => files.moveStored(db) },
    { name: "forget-import-rows", cron: "47 5 * * *", run: () => pruneNotedRows(db) },
    { name: "forget-echoes", cron: "47 * * * *", run: upkeepOf(db).prune },
  ];
}

/** Counters move with their rows in one statement; a difference is a bug that the operator must see. */
async function reportDifferences(db: Db, log: Logger): Promise<void> {
  for (const difference of await upkeepOf(db).recount(2))
    log.error(difference, "counters differ from their rows");
}
