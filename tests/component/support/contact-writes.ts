import type { ContactImport, ContactImportReport, ContactListCard } from "../../../src/contract/contacts.ts";
import { fieldText } from "../../../src/contract/error-messages.ts";
import { readPhone } from "../../../src/domain/phone-foreign.ts";
import type { EndpointKey } from "../../../src/web/api/call.ts";
import { type Call, type Handler, refuse } from "./endpoints.ts";
import type { FakeServer } from "./fake-server.ts";
import { importDrafts, startedBy } from "./import-steps.ts";
import { contactList, minutesAgo } from "./rows.ts";

let lastImport = 700;

export function importReport(given: Partial<ContactImportReport> = {}): ContactImportReport {
  return {
    id: ++lastImport,
    listId: null,
    listName: "Clientes",
    fileName: null,
    state: "done",
    fault: null,
    bytesTotal: 100,
    bytesRead: 100,
    rowsRead: 3,
    imported: 3,
    repeated: 0,
    refused: 0,
    ninthAdded: 0,
    erased: 0,
    leftOut: null,
    layout: null,
    warnings: [],
    createdAt: minutesAgo(1),
    finishedAt: minutesAgo(0),
    refusedRows: [],
    ninthAddedRows: [],
    ...given,
  };
}

export function withoutRows(report: ContactImportReport): ContactImport {
  const { refusedRows: _, ninthAddedRows: __, ...rest } = report;
  return rest;
}

/** The request arrives, its answer does not. */
export function losing<K extends EndpointKey>(handler: Handler<K>): Handler<K> {
  return (call: Call<K>) => {
    void handler(call);
    throw new TypeError("Failed to fetch");
  };
}

type Pasted = { name: string; phone: string };

function digits(phone: string): string {
  const read = readPhone(phone);
  if ("error" in read) throw refuse("invalid_fields", { fields: { phone: fieldText(read.error) } });
  return read.phone;
}

function addList({ world }: FakeServer, name: string, people: readonly Pasted[]) {
  const rows = people.map((each, seq) => ({ name: each.name, phone: digits(each.phone), seq }));
  const first = rows.slice(0, 3).map(({ seq: _, ...each }) => each);
  const list = contactList({ name, count: rows.length, first });
  world.lists.push(list);
  world.contacts[list.id] = rows;
  return list;
}

export function importedInto(server: FakeServer): Handler<"POST /api/contact-import-drafts/{id}/start"> {
  const { textOf } = importDrafts(server);
  return startedBy(server, ({ params, body: { listName = "" } }) => {
    const [, ...rows] = textOf(params.id).trim().split("\n");
    const people = rows.map((row) => {
      const [name = "", phone = ""] = row.split(";");
      return { name, phone };
    });
    const { id: listId } = addList(server, listName, people);
    void server.publish("contacts");
    return importReport({ listId, listName, rowsRead: people.length, imported: people.length });
  });
}

/** Adds contacts; a key that comes again is the same contact. */
export function addedTo(server: FakeServer): Handler<"POST /api/contacts"> {
  const answers = new Map<string, Awaited<ReturnType<Handler<"POST /api/contacts">>>>();
  return ({ body: { name, phone, listId, idempotencyKey = "" } }) => {
    const before = answers.get(idempotencyKey);
    if (before) return before;
    const contact = { name, phone: digits(phone) };
    const chosen = server.world.lists.find(({ id }) => id === listId);
    if (chosen) Object.assign(chosen, { count: chosen.count + 1, first: [...chosen.first, contact] });
    const list = chosen ?? addList(server, `Contato manual - ${name}`, [{ name, phone }]);
    const answer = { listId: list.id, listName: list.name, contact, ninthAdded: false };
    answers.set(idempotencyKey, answer);
    void server.publish("contacts");
    return answer;
  };
}

const plain = (text: string) => text.normalize("NFD").replaceAll(/\p{M}/gu, "").toLowerCase();

export function findPeople(server: FakeServer) {
  const { lists, contacts } = server.world;
  server.on("GET /api/contact-lists", ({ query: { search = "" } }) => {
    const items = lists.flatMap((list): ContactListCard[] => {
      if (search === "") return [list];
      const found = (contacts[list.id] ?? []).filter(({ name, phone }) =>
        `${plain(name)} ${phone}`.includes(plain(search)),
      );
      const first = found.slice(0, 3).map(({ seq: _, ...each }) => each);
      if (found.length > 0) return [{ ...list, first, matches: found.length }];
      return plain(list.name).includes(plain(search)) ? [{ ...list, matches: 0 }] : [];
    });
    const total = { lists: lists.length, contacts: lists.reduce((sum, each) => sum + each.count, 0) };
    return { items, next: null, total };
  });
}

export function withOptOuts(server: FakeServer) {
  const { world: state } = server;
  const marked = (phone: string, optedOut: boolean) => {
    for (const rows of Object.values(state.contacts))
      for (const row of rows)
        if (row.phone === phone) {
          delete row.optedOut;
          if (optedOut) row.optedOut = true;
        }
  };
  server.on("POST /api/opt-outs", ({ body }) => {
    const phone = body.phone.slice(1);
    const left = {
      phone,
      name: null,
      source: "manual" as const,
      text: null,
      connectionName: null,
      at: minutesAgo(0),
    };
    state.optOuts.push(left);
    marked(phone, true);
    return { ...left, reversible: true };
  });
  server.on("DELETE /api/opt-outs/{phone}", ({ params }) => {
    const phone = params.phone.slice(1);
    if (!state.optOuts.some((each) => each.phone === phone)) throw refuse("not_found");
    state.optOuts = state.optOuts.filter((each) => each.phone !== phone);
    marked(phone, false);
    return { success: true, undo: "selo" };
  });
}
