import { attachments } from "../../contract/files.ts";
import type { App } from "../http/app.ts";
import { mount } from "../http/mount.ts";
import type { FileService } from "./service.ts";

export function mountFiles(app: App, service: FileService): void {
  mount(app, attachments.upload, ({ owner, query, body, request }) =>
    service.upload(owner, query, body, request),
  );
  mount(app, attachments.get, ({ owner, params, request }) => service.show(owner, params.id, request));
}
