import { library } from "../../contract/library.ts";
import type { App } from "../http/app.ts";
import { mount } from "../http/mount.ts";
import type { LibraryService } from "./service.ts";

export function mountLibrary(app: App, service: LibraryService): void {
  mount(app, library.list, ({ owner, query }) => service.list(owner, query));
  mount(app, library.create, ({ owner, body }) => service.create(owner, body));
  mount(app, library.change, ({ owner, params, body }) => service.change(owner, params.id, body));
  mount(app, library.fill, ({ owner, params, body }) => service.fill(owner, params.id, body.phone));
  mount(app, library.remove, ({ owner, params }) => service.remove(owner, params.id));
}
