import { settings } from "../../contract/settings.ts";
import type { App } from "../http/app.ts";
import { mount } from "../http/mount.ts";
import type { UsageService } from "./service.ts";

export function mountUsage(app: App, service: UsageService): void {
  mount(app, settings.usage, ({ owner }) => service.usage(owner));
}
