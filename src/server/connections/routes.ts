import { connections, whatsapp } from "../../contract/connections.ts";
import { numberPlans } from "../../contract/number-plans.ts";
import type { App } from "../http/app.ts";
import { mount } from "../http/mount.ts";
import type { PlanService } from "./plans.ts";
import type { ConnectionService } from "./service.ts";

export function mountConnections(app: App, service: ConnectionService): void {
  mount(app, whatsapp.connect, ({ owner, body }) => service.connect(owner, body));
  mount(app, whatsapp.devices, ({ owner }) => service.devices(owner));
  mount(app, whatsapp.send, ({ owner, body }) => service.send(owner, body));
  mount(app, whatsapp.status, ({ owner, params }) => service.status(owner, params.deviceId));
  mount(app, whatsapp.qr, ({ owner, params }) => service.qr(owner, params.deviceId));
  mount(app, whatsapp.endSession, ({ owner, params }) => service.endSession(owner, params.deviceId));
  mount(app, whatsapp.remove, ({ owner, params }) => service.remove(owner, params.deviceId));
  mount(app, connections.list, ({ owner }) => service.list(owner));
  mount(app, connections.makeDefault, ({ owner, params, query }) =>
    service.makeDefault(owner, params.id, query.insteadOf),
  );
  mount(app, connections.pairingCode, ({ owner, params }) => service.pairingCode(owner, params.id));
  mount(app, connections.reconnect, ({ owner, params }) => service.reconnect(owner, params.id));
  mount(app, connections.newQr, ({ owner, params }) => service.reconnect(owner, params.id));
}

export function mountPlans(app: App, service: PlanService): void {
  mount(app, numberPlans.show, ({ owner, params }) => service.show(owner, params.id));
  mount(app, numberPlans.store, ({ owner, params, body }) => service.store(owner, params.id, body));
}
