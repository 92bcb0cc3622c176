import { settings } from "../../contract/settings.ts";
import type { App } from "../http/app.ts";
import { mount } from "../http/mount.ts";
import type { AccountSettings } from "./settings.ts";

export function mountSettings(app: App, service: AccountSettings): void {
  mount(app, settings.profile, ({ owner, body }) => service.profile(owner, body));
  mount(app, settings.password, ({ owner, account, body }) => service.password(owner, account, body));
  mount(app, settings.apiKeys, ({ owner }) => service.apiKeys(owner));
  mount(app, settings.createApiKey, ({ owner, body }) => service.createApiKey(owner, body));
  mount(app, settings.revokeApiKey, ({ owner, params }) => service.revokeApiKey(owner, params.id));
  mount(app, settings.sessions, ({ owner, account }) => service.sessions(owner, account));
  mount(app, settings.endSession, ({ owner, params }) => service.endSession(owner, params.sessionId));
}
