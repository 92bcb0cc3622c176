import { settings, unsubscribe } from "../../contract/settings.ts";
import type { App } from "../http/app.ts";
import { mount } from "../http/mount.ts";
import type { NotificationService } from "./service.ts";
import type { Unsubscribing } from "./unsubscribe.ts";

export function mountNotifications(
  app: App,
  { service, unsubscribing }: { service: NotificationService; unsubscribing: Unsubscribing },
): void {
  mount(app, settings.notifications, ({ owner }) => service.get(owner));
  mount(app, settings.saveNotifications, ({ owner, body }) => service.save(owner, body));
  mount(app, settings.testMail, ({ owner }) => service.test(owner));
  mount(app, unsubscribe.show, ({ params }) => unsubscribing.show(params.token));
  mount(app, unsubscribe.confirm, ({ params }) => unsubscribing.confirm(params.token));
}
