import { mountAccounts, mountConfirmations, mountResets } from "../accounts/routes.ts";
import { mountSettings } from "../accounts/settings-routes.ts";
import { mountAgents } from "../agents/routes.ts";
import { mountAudit } from "../audit/routes.ts";
import { mountCampaigns, mountTestSends } from "../campaigns/routes.ts";
import { mountChats } from "../chat/routes.ts";
import { mountConnections } from "../connections/routes.ts";
import { mountContacts } from "../contacts/routes.ts";
import { mountDashboard } from "../dashboard/routes.ts";
import { mountFiles } from "../files/routes.ts";
import { mountGateways } from "../gateways/routes.ts";
import { mountWebhooks } from "../gateways/webhook-endpoint.ts";
import type { App } from "../http/app.ts";
import { mountEvents } from "../http/events.ts";
import { mountNotifications } from "../notifications/routes.ts";
import { mountOptOuts } from "../opt-outs/routes.ts";
import { mountSearch } from "../search/routes.ts";
import { mountUsage } from "../usage/routes.ts";
import type { Services } from "./services.ts";

/** Everything that can be called. A feature adds its line here. */
export function mountRoutes(app: App, services: Services): void {
  mountAccounts(app, services.accounts);
  mountResets(app, services.resets);
  mountConfirmations(app, services);
  mountSettings(app, services);
  mountNotifications(app, services.notifications);
  mountUsage(app, services.usage);
  mountAudit(app, services.audit);
  mountConnections(app, services.connections);
  mountGateways(app, services.gateways, services.prove);
  mountWebhooks(app, services.webhooks.door);
  mountFiles(app, services.files);
  mountContacts(app, services.contacts);
  mountOptOuts(app, services.optOuts);
  mountCampaigns(app, services.campaigns);
  mountTestSends(app, services.testSends);
  mountChats(app, services.chats);
  mountAgents(app, services.agents);
  mountDashboard(app, services.dashboard);
  mountSearch(app, services.search);
  mountEvents(app, services.changes, services.sessionEnds.watch);
}
