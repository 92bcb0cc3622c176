import { optOuts } from "../../contract/opt-outs.ts";
import type { App } from "../http/app.ts";
import { mount } from "../http/mount.ts";
import type { OptOutService } from "./service.ts";

export function mountOptOuts(app: App, service: OptOutService): void {
  mount(app, optOuts.list, ({ owner, query }) => service.list(owner, query));
  mount(app, optOuts.add, ({ owner, body }) => service.add(owner, body.phone));
  mount(app, optOuts.confirm, ({ owner, params, body }) =>
    service.confirm(owner, params.phone, body.at ?? null),
  );
  mount(app, optOuts.restore, ({ owner, body }) => service.restore(owner, body.undo));
  mount(app, optOuts.remove, ({ owner, params, query }) =>
    service.remove(owner, params.phone, query.at ?? null),
  );
}
