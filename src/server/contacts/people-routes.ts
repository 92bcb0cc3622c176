import { contactFields } from "../../contract/contact-fields.ts";
import { contacts } from "../../contract/contacts.ts";
import { people } from "../../contract/people.ts";
import type { App } from "../http/app.ts";
import { mount } from "../http/mount.ts";
import type { People } from "./people.ts";
import { exportPeople } from "./people-export.ts";
import { whyPage, whyText } from "./people-why.ts";

export function mountPeople(app: App, services: People): void {
  mountSelections(app, services);
  const { people: service, erasures, fields, lists } = services;
  mount(app, people.list, ({ owner, query }) => service.list(owner, query));
  mount(app, people.create, ({ owner, body }) => service.create(owner, body));
  mount(app, people.find, ({ owner, params }) => service.find(owner, params.id));
  mount(app, people.history, ({ owner, params, query }) => service.history(owner, params.id, query));
  mount(app, people.why, async ({ owner, params }) => ({
    text: whyText(await service.why(owner, params.id)),
  }));
  mount(app, people.exportOne, ({ owner, params }) => erasures.export(owner, params.id));
  mount(app, people.erasure, ({ owner, params }) => erasures.preview(owner, params.id));
  mount(app, people.erase, ({ owner, params }) => erasures.erase(owner, params.id));
  mount(app, people.whyFile, async ({ owner, params }) => whyPage(await service.why(owner, params.id)));
  mount(app, people.update, ({ owner, params, body }) => service.update(owner, params.id, body));
  mount(app, people.merge, ({ owner, params, body }) => service.merge(owner, params.id, body));

  mount(app, contactFields.list, ({ owner }) => fields.list(owner));
  mount(app, contactFields.create, ({ owner, body }) => fields.create(owner, body));
  mount(app, contactFields.rename, ({ owner, params, body }) => fields.rename(owner, params.id, body.label));
  mount(app, contactFields.remove, ({ owner, params }) => fields.remove(owner, params.id));

  mount(app, contacts.createList, ({ owner, body }) => lists.create(owner, body));
  mount(app, contacts.renameList, ({ owner, params, body }) => lists.rename(owner, params.id, body.name));
  mount(app, contacts.duplicateList, ({ owner, params, body }) => lists.duplicate(owner, params.id, body));
}

/** Before `/api/people/{id}`, which would take their names for an id. */
function mountSelections(app: App, { people: service, selections, exports }: People): void {
  mount(app, people.count, ({ owner, query }) => service.count(owner, query));
  mount(app, people.export, ({ owner, query }) => exportPeople(exports, owner, query));
  mount(app, people.addToList, ({ owner, body }) => selections.addToList(owner, body));
  mount(app, people.removeFromList, ({ owner, body }) => selections.removeFromList(owner, body));
  mount(app, people.remove, ({ owner, body }) => selections.remove(owner, body.selection));
}
