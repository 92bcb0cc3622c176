import { type NotificationsFeature, openNotifications } from "../../notifications/notifications.ts";
import type { Common } from "./common.ts";

export function composeNotifications(common: Common): Promise<NotificationsFeature> {
  const { config, database, secrets, clock, log, queues, works } = common;
  return openNotifications({
    database,
    secrets,
    clock,
    log,
    queues,
    publicUrl: config.publicUrl,
    mail: config.mail,
    works,
  });
}
