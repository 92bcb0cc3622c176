import { audiences } from "../../contract/audiences.ts";
import { campaignCalendar } from "../../contract/campaign-calendar.ts";
import { campaigns } from "../../contract/campaigns.ts";
import { testSends } from "../../contract/test-sends.ts";
import type { App } from "../http/app.ts";
import { mount } from "../http/mount.ts";
import type { AudienceService } from "./audiences.ts";
import type { CampaignService } from "./service.ts";
import type { TestSendService } from "./test-send.ts";

export function mountCampaigns(app: App, service: CampaignService): void {
  mount(app, campaigns.list, ({ owner, query }) => service.list(owner, query));
  mount(app, campaigns.summary, ({ owner }) => service.summary(owner));
  mount(app, campaignCalendar.show, ({ owner, query }) => service.calendar(owner, query.month));
  mount(app, campaigns.get, ({ owner, params }) => service.get(owner, params.id));
  mount(app, campaigns.create, ({ owner, body }) => service.create(owner, body));
  mount(app, campaigns.update, ({ owner, params, body }) => service.update(owner, params.id, body));
  mount(app, campaigns.remove, ({ owner, params }) => service.remove(owner, params.id));
  mount(app, campaigns.archive, ({ owner, params }) => service.archive(owner, params.id));
  mount(app, campaigns.unarchive, ({ owner, params }) => service.unarchive(owner, params.id));
  mount(app, campaigns.undoStart, ({ owner, params }) => service.undoStart(owner, params.id));
  mount(app, campaigns.pause, ({ owner, params }) => service.pause(owner, params.id));
  mount(app, campaigns.resume, ({ owner, params }) => service.resume(owner, params.id));
  mount(app, campaigns.resumeDespite, ({ owner, params, body }) =>
    service.resumeDespite(owner, params.id, body.reason),
  );
  mount(app, campaigns.cancel, ({ owner, params }) => service.cancel(owner, params.id));
  mount(app, campaigns.confirm, ({ owner, params }) => service.confirm(owner, params.id));
  mount(app, campaigns.finish, ({ owner, params }) => service.finish(owner, params.id));
  mount(app, campaigns.resendFailures, ({ owner, params, query }) =>
    service.resendFailures(owner, params.id, query.through),
  );
  mount(app, campaigns.deliveries, ({ owner, params, query }) => service.deliveries(owner, params.id, query));
  mount(app, campaigns.resendDelivery, ({ owner, params, query }) =>
    service.act(owner, params.id, params.seq, "resend", query.at),
  );
  mount(app, campaigns.markSent, ({ owner, params, query }) =>
    service.act(owner, params.id, params.seq, "mark_sent", query.at),
  );
  mount(app, campaigns.ignoreDelivery, ({ owner, params, query }) =>
    service.act(owner, params.id, params.seq, "ignore", query.at),
  );
  mount(app, campaigns.exportDeliveries, ({ owner, params }) => service.deliveriesFile(owner, params.id));
  mount(app, campaigns.failures, ({ owner, params }) => service.failures(owner, params.id));
}

export function mountAudiences(app: App, service: AudienceService): void {
  mount(app, audiences.segments, ({ owner }) => service.segments(owner));
  mount(app, audiences.countSegment, ({ owner, body }) => service.countSegment(owner, body.rule));
  mount(app, audiences.createSegment, ({ owner, body }) => service.store(owner, null, body));
  mount(app, audiences.changeSegment, ({ owner, params, body }) => service.store(owner, params.id, body));
  mount(app, audiences.removeSegment, ({ owner, params }) => service.remove(owner, params.id));
  mount(app, audiences.count, ({ owner, body }) => service.count(owner, body));
  mount(app, audiences.forecast, ({ owner, body }) => service.forecast(owner, body));
  mount(app, audiences.countNumberChecks, ({ owner, body }) => service.countNumberChecks(owner, body));
  mount(app, audiences.askNumberChecks, ({ owner, body }) => service.askNumberChecks(owner, body));
  mount(app, audiences.names, ({ owner, body }) => service.names(owner, body));
}

export function mountTestSends(app: App, service: TestSendService): void {
  mount(app, testSends.send, ({ owner, body }) => service.send(owner, body));
  mount(app, testSends.get, ({ owner, params }) => service.get(owner, params.id));
}
