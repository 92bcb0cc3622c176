import { settings } from "../../contract/settings.ts";
import { record } from "../audit/service.ts";
import type { Owner } from "../db/owner.ts";
import type { App } from "../http/app.ts";
import { mount } from "../http/mount.ts";
import type { AccountRemoval } from "./removal.ts";
import type { AccountSettings } from "./settings.ts";

export type SettingsRoutes = {
  settings: AccountSettings;
  removal: Pick<AccountRemoval, "remove">;
  exportAccount(owner: Owner): Promise<Response>;
};

export function mountSettings(app: App, { settings: service, removal, exportAccount }: SettingsRoutes): void {
  mount(app, settings.profile, ({ owner, body }) => service.profile(owner, body));
  mount(app, settings.weeklyLimit, ({ owner }) => service.weeklyLimit(owner));
  mount(app, settings.setWeeklyLimit, ({ owner, body }) => service.setWeeklyLimit(owner, body));
  mount(app, settings.undoTime, ({ owner }) => service.undoTime(owner));
  mount(app, settings.setUndoTime, ({ owner, body }) => service.setUndoTime(owner, body));
  mount(app, settings.optOutConfirmation, ({ owner }) => service.optOutConfirmation(owner));
  mount(app, settings.setOptOutConfirmation, ({ owner, body }) => service.setOptOutConfirmation(owner, body));
  mount(app, settings.password, ({ owner, account, body }) => service.password(owner, account, body));
  mount(app, settings.apiKeys, ({ owner }) => service.apiKeys(owner));
  mount(app, settings.createApiKey, ({ owner, account, body }) => service.createApiKey(owner, account, body));
  mount(app, settings.passwordProof, ({ owner, account }) => service.passwordProof(owner, account));
  mount(app, settings.revokeApiKey, ({ owner, params }) => service.revokeApiKey(owner, params.id));
  mount(app, settings.sessions, ({ owner, account }) => service.sessions(owner, account));
  mount(app, settings.endSession, ({ owner, params }) => service.endSession(owner, params.sessionId));
  mount(app, settings.exportData, async ({ owner }) => {
    const file = await exportAccount(owner);
    await record(owner, { kind: "data_exported" });
    return file;
  });
  mount(app, settings.removeAccount, async ({ owner, body, headers }) => {
    await removal.remove(owner, body.password);
    headers.set("clear-site-data", '"storage"');
  });
}
