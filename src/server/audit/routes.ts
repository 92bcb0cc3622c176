import { audit } from "../../contract/audit.ts";
import type { App } from "../http/app.ts";
import { mount } from "../http/mount.ts";
import type { AuditService } from "./service.ts";

export function mountAudit(app: App, service: AuditService): void {
  mount(app, audit.list, ({ owner, query }) => service.list(owner, query));
}
