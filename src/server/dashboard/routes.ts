import { dashboard } from "../../contract/dashboard.ts";
import type { App } from "../http/app.ts";
import { mount } from "../http/mount.ts";
import type { DashboardService } from "./service.ts";

export function mountDashboard(app: App, service: DashboardService): void {
  mount(app, dashboard.get, ({ owner, query }) =>
    service.get(owner, { campaignId: query.campaign, days: Number(query.days) }),
  );
  mount(app, dashboard.campaigns, async ({ owner }) => ({ items: await service.names(owner) }));
  mount(app, dashboard.firstSteps, ({ owner }) => service.firstSteps(owner));
}
