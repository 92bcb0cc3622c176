import { gateways, hooks, instances } from "../../contract/gateways.ts";
import type { App } from "../http/app.ts";
import { mount } from "../http/mount.ts";
import type { Gateways } from "./gateways.ts";

export function mountGateways(app: App, { service, instances: own, probeArrived }: Gateways): void {
  mount(app, gateways.list, ({ owner }) => service.list(owner));
  mount(app, gateways.create, ({ owner, body }) => service.create(owner, body));
  mount(app, gateways.update, ({ owner, params, body }) => service.update(owner, params.id, body));
  mount(app, gateways.remove, ({ owner, params }) => service.remove(owner, params.id));
  mount(app, gateways.test, ({ owner, params }) => service.test(owner, params.id));
  mount(app, instances.list, ({ owner, params }) => own.list(owner, params.id));
  mount(app, instances.create, ({ owner, params, body }) => own.create(owner, params.id, body));
  mount(app, instances.adopt, ({ owner, params }) => own.adopt(owner, params.id, params.name));
  mount(app, instances.remove, ({ owner, params }) => own.remove(owner, params.id, params.name));
  mount(app, instances.picture, ({ owner, params }) => own.picture(owner, params.id, params.name));
  mount(app, instances.webhook, ({ owner, params, body }) =>
    own.setWebhook(owner, params.id, params.name, body.url),
  );
  mount(app, hooks.probe, ({ request, body }) => probeArrived(request, body));
  mount(app, instances.oddities, ({ owner, params }) => own.oddities(owner, params.id, params.name));
}
