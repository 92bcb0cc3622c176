import { gateways, hooks, instances } from "../../contract/gateways.ts";
import type { Owner } from "../db/owner.ts";
import type { App } from "../http/app.ts";
import { mount } from "../http/mount.ts";
import type { Caller } from "../http/session-guard.ts";
import type { Gateways } from "./gateways.ts";

/** Throws `invalid_fields` on `password` when an outward address needs it. */
type Prove = (owner: Owner, caller: Caller, password: string | undefined) => Promise<unknown>;

export function mountGateways(
  app: App,
  { service, instances: own, probeArrived }: Gateways,
  prove: Prove,
): void {
  mount(app, gateways.list, ({ owner }) => service.list(owner));
  mount(app, gateways.create, async ({ owner, account, body }) => {
    await prove(owner, account, body.password);
    return service.create(owner, body);
  });
  mount(app, gateways.update, async ({ owner, account, params, body }) => {
    if (await service.movesAddress(owner, params.id, body.url)) await prove(owner, account, body.password);
    return service.update(owner, params.id, body);
  });
  mount(app, gateways.remove, ({ owner, params }) => service.remove(owner, params.id));
  mount(app, gateways.test, ({ owner, params }) => service.test(owner, params.id));
  mount(app, instances.list, ({ owner, params }) => own.list(owner, params.id));
  mount(app, instances.create, async ({ owner, account, params, body }) => {
    if (body.webhook.trim() !== "") await prove(owner, account, body.password);
    return own.create(owner, params.id, body);
  });
  mount(app, instances.adopt, ({ owner, params }) => own.adopt(owner, params.id, params.name));
  mount(app, instances.remove, ({ owner, params }) => own.remove(owner, params.id, params.name));
  mount(app, instances.picture, ({ owner, params }) => own.picture(owner, params.id, params.name));
  mount(app, instances.webhook, async ({ owner, account, params, body }) => {
    if (body.url.trim() !== "") await prove(owner, account, body.password);
    return own.setWebhook(owner, params.id, params.name, body.url);
  });
  mount(app, hooks.probe, ({ request, body }) => probeArrived(request, body));
  mount(app, instances.oddities, ({ owner, params }) => own.oddities(owner, params.id, params.name));
}
