import { randomBytes } from "node:crypto";
import { type Account, deliverToAccount, type Timelock } from "./accounts.ts";
import { stanza, unixSeconds } from "./stanza.ts";
import type { World } from "./world.ts";

export const describeTimelock = (lock: Timelock | null) =>
  lock
    ? {
        is_active: true,
        time_enforcement_ends: lock.endless ? "0" : String(lock.until),
        enforcement_type: lock.kind,
      }
    : { is_active: false };

function notify(world: World, account: Account, operation: string, data: object): void {
  const update = stanza("update", { op_name: operation }, Buffer.from(JSON.stringify({ data })));
  const attrs = {
    from: "s.whatsapp.net",
    id: randomBytes(6).toString("hex"),
    type: "mex",
    t: unixSeconds(world.schedule.now()),
  };
  deliverToAccount(account, stanza("notification", attrs, [update]));
}

export function notifyTimelock(world: World, account: Account, lock: Timelock | null): void {
  const { time_enforcement_ends, ...rest } = describeTimelock(lock);
  const payload = lock?.endless ? rest : { time_enforcement_ends, ...rest };
  notify(world, account, "NotificationUserReachoutTimelockUpdate", {
    xwa2_notify_account_reachout_timelock: payload,
  });
}

export function notifyQuota(world: World, account: Account, quota: object): void {
  notify(world, account, "MessageCappingInfoNotification", {
    xwa2_notify_new_chat_messages_capping_info_update: quota,
  });
}
