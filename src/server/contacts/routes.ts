import { contacts } from "../../contract/contacts.ts";
import { importDrafts } from "../../contract/import-drafts.ts";
import { AppError } from "../../domain/errors.ts";
import type { App } from "../http/app.ts";
import { mount } from "../http/mount.ts";
import type { ContactService } from "./service.ts";

export function mountContacts(app: App, service: ContactService): void {
  mount(app, contacts.lists, ({ owner, query }) => service.lists(owner, query));
  mount(app, contacts.list, ({ owner, params }) => service.list(owner, params.id));
  mount(app, contacts.listContacts, ({ owner, params, query }) => service.contacts(owner, params.id, query));
  mount(app, contacts.deleteList, ({ owner, params }) => service.deleteList(owner, params.id));
  mount(app, contacts.exportList, ({ owner, params }) => service.exportList(owner, params.id));
  mount(app, contacts.create, ({ owner, body }) => service.create(owner, body));
  mount(app, contacts.importFile, ({ owner, query, body, request }) =>
    service.importFile(owner, query, asFile(body, request)),
  );
  mount(app, contacts.importJson, ({ owner, body }) => service.importJson(owner, body));
  mount(app, importDrafts.importAtOnce, ({ owner, query, body, request }) =>
    service.importAtOnce(owner, query, asFile(body, request)),
  );
  mount(app, importDrafts.create, ({ owner, query, body, request }) =>
    service.createDraft(owner, query, asFile(body, request)),
  );
  mount(app, importDrafts.read, ({ owner, params, body }) => service.readDraft(owner, params.id, body));
  mount(app, importDrafts.start, ({ owner, params, body }) => service.startDraft(owner, params.id, body));
  mount(app, importDrafts.remove, ({ owner, params }) => service.removeDraft(owner, params.id));
  mount(app, contacts.imports, ({ owner }) => service.imports(owner));
  mount(app, contacts.importReport, ({ owner, params }) => service.importReport(owner, params.id));
  mount(app, contacts.refusedRows, ({ owner, params }) => service.refusedRows(owner, params.id));
  mount(app, contacts.template, () => service.template());
}

// Windows with Excel: vnd.ms-excel.
const FILE_TYPE =
  /^(text\/(csv|plain|tab-separated-values|comma-separated-values|vcard|x-vcard|directory)|application\/(octet-stream|csv|vnd\.ms-excel(\.[\w.]+)?|vnd\.openxmlformats-officedocument\.spreadsheetml\.sheet|zip))\s*(;|$)/i;

/** A form or JSON body would be parsed as rows. */
function asFile(body: ReadableStream<Uint8Array>, request: Request): ReadableStream<Uint8Array> {
  const type = request.headers.get("content-type");
  if (type !== null && !FILE_TYPE.test(type))
    throw new AppError("import_not_csv", { kind: kindOfType(type) });
  return body;
}

/** `application/pdf` → `PDF`. */
const kindOfType = (type: string) =>
  (type.split(";")[0] ?? "").split("/").at(-1)?.trim().toUpperCase().slice(0, 60) ?? "";
