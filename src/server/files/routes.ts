import { images } from "../../contract/files.ts";
import type { App } from "../http/app.ts";
import { mount } from "../http/mount.ts";
import type { FileService } from "./service.ts";

export function mountFiles(app: App, service: FileService): void {
  mount(app, images.upload, ({ owner, body, request }) => service.upload(owner, body, request));
  mount(app, images.get, ({ owner, params }) => service.show(owner, params.id));
}
