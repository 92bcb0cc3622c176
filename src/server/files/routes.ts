import { attachments, uploads } from "../../contract/files.ts";
import type { App } from "../http/app.ts";
import { mount } from "../http/mount.ts";
import type { FileService } from "./service.ts";

export function mountFiles(app: App, service: FileService): void {
  mount(app, attachments.upload, ({ owner, query, body, request }) =>
    service.upload(owner, query, body, request),
  );
  mount(app, attachments.get, ({ owner, params, request }) => service.show(owner, params.id, request));
  mount(app, uploads.begin, ({ owner, body }) => service.begin(owner, body.bytes));
  mount(app, uploads.get, ({ owner, params }) => service.partial.find(owner.accountId, params.id));
  mount(app, uploads.append, ({ owner, params, query, body }) =>
    service.partial.append(owner.accountId, params.id, { offset: query.offset, body }),
  );
  mount(app, uploads.complete, ({ owner, params, query, request }) =>
    service.complete(owner, params.id, query, request),
  );
  mount(app, uploads.cancel, ({ owner, params }) => service.partial.remove(owner.accountId, params.id));
}
