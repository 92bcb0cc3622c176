import { search } from "../../contract/search.ts";
import type { App } from "../http/app.ts";
import { mount } from "../http/mount.ts";
import type { SearchService } from "./service.ts";

export function mountSearch(app: App, service: SearchService): void {
  mount(app, search.find, ({ owner, query }) => service.find(owner, query.q));
}
