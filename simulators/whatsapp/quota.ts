import type { Account, Quota } from "./accounts.ts";
import { unixSeconds } from "./stanza.ts";
import type { World } from "./world.ts";

const CYCLE_S = 30 * 86_400;

const current = (world: World, { quota }: Account): Quota | null =>
  quota && quota.until > unixSeconds(world.schedule.now()) ? quota : null;

const isNew = (account: Account, quota: Quota, phone: string) =>
  !account.openWith.has(phone) && !quota.begun.has(phone);

export function exceedsQuota(world: World, account: Account, phone: string): boolean {
  const quota = current(world, account);
  return quota !== null && quota.used >= quota.total && isNew(account, quota, phone);
}

export function countAgainstQuota(world: World, account: Account, phone: string): void {
  const quota = current(world, account);
  if (!quota || !isNew(account, quota, phone)) return;
  quota.begun.add(phone);
  quota.used += 1;
}

export function describeQuota(world: World, { quota }: Account) {
  return {
    total_quota: quota?.total ?? -1,
    used_quota: quota?.used ?? 0,
    cycle_start_timestamp: quota ? String(quota.until - CYCLE_S) : null,
    cycle_end_timestamp: quota ? String(quota.until) : null,
    server_sent_timestamp: String(unixSeconds(world.schedule.now())),
    ote_status: "NOT_ELIGIBLE",
    mv_status: "NOT_ELIGIBLE",
    capping_status: quota && quota.used >= quota.total ? "CAPPED" : "NONE",
  };
}
