import type {
  Contact,
  ContactImport,
  ContactImportReport,
  ContactListCard,
  ImportEncoding,
  ListedContact,
} from "../../contract/contacts.ts";
import type { ImportDraft } from "../../contract/import-drafts.ts";
import { contactsTemplate } from "../../domain/csv-write.ts";
import { AppError } from "../../domain/errors.ts";
import { record } from "../audit/service.ts";
import { words } from "../base/locale.ts";
import { requireRoom } from "../db/account-limits.ts";
import type { ErasedSecrets } from "../db/erased-people.ts";
import { once, submissionOf } from "../db/idempotency.ts";
import { type Changes, publishPeople } from "../db/live-updates.ts";
import type { Owner } from "../db/owner.ts";
import { fieldError } from "../http/errors.ts";
import type { StreamedJson } from "../http/streamed-json.ts";
import { textStream } from "../http/text-stream.ts";
import type { Downloads } from "../jobs/downloads.ts";
import type { FairQueues } from "../jobs/fair-queue.ts";
import { campaignsOf } from "../sending/sending.ts";
import * as counts from "./counts.ts";
import { refuseErased } from "./erased-people.ts";
import { csvHeaders, exportName, listFile, refusedFile } from "./export.ts";
import { createDraft, importAtOnce, readDraft, removeDraft, startDraft } from "./import-drafts.ts";
import type { Importer } from "./importer.ts";
import { acceptFile, acceptJson, importIntake, type JsonListInput } from "./imports.ts";
import { findImport, findImports, findNotedRows, type ImportRow } from "./imports-repo.ts";
import { type ReadPerson, readNewPerson } from "./person-input.ts";
import { putPerson } from "./person-repo.ts";
import { shownRefused, toContact, toContactList, toImport } from "./presenter.ts";
import * as reads from "./reads.ts";
import {
  appendPerson,
  countLists,
  countOptedOut,
  deleteList,
  findContacts,
  findList,
  findLists,
  findNamedLists,
  findPeople,
  insertList,
  isListed,
  type ListRow,
  lockList,
} from "./repo.ts";
import type { Spool } from "./spool.ts";

export const contactReads = reads;
export const contactCounts = counts;

export type ContactDeps = {
  spool: Spool;
  queues: FairQueues;
  downloads: Downloads;
  importer: Pick<Importer, "kick">;
  changes: Pick<Changes, "mark">;
  secrets: ErasedSecrets;
  timeZoneOf(owner: Owner): Promise<string>;
};

export type NewContact = {
  name: string;
  phone: string;
  listId?: number | undefined;
  idempotencyKey?: string | undefined;
};
export type AddedContact = {
  listId: number;
  listName: string;
  contact: { name: string; phone: string };
  ninthAdded: boolean;
};
export type NewFile = {
  name: string;
  fileName?: string | undefined;
  encoding?: ImportEncoding | undefined;
  sheet?: string | undefined;
  acceptBrokenNames?: "true" | "false" | undefined;
  idempotencyKey?: string | undefined;
};

export type FoundPerson = Contact & { id: number; listId: number | null; listName: string | null };

type ListsQuery = {
  search?: string | undefined;
  after?: number | undefined;
  id?: number | undefined;
  limit: number;
};
type Page<Shown> = { items: Shown[]; next: number | null };

const NEWEST_IMPORTS = 10;
const REPORT_ROWS = 100;

export class ContactService {
  readonly #deps: ContactDeps;
  readonly #intake: ReturnType<typeof importIntake>;

  constructor(deps: ContactDeps) {
    this.#deps = deps;
    this.#intake = importIntake(deps.spool, deps.queues);
  }

  async lists(
    owner: Owner,
    { search, after, id, limit }: ListsQuery,
  ): Promise<Page<ContactListCard> & { total: { lists: number; contacts: number } }> {
    if (id !== undefined) await requireList(owner, id);
    const words = search?.trim() ?? "";
    const rows = await findLists(owner, {
      search: words,
      after: after ?? null,
      id: id ?? null,
      limit: limit + 1,
    });
    return { ...pageOf(rows, limit, toContactList, (row) => row.id), total: await countLists(owner) };
  }

  async list(owner: Owner, listId: number): Promise<ContactListCard & { optedOut: number }> {
    return {
      ...toContactList(await requireList(owner, listId)),
      optedOut: await countOptedOut(owner, listId),
    };
  }

  async contacts(
    owner: Owner,
    listId: number,
    { search, after, limit }: { search?: string | undefined; after: number; limit: number },
  ): Promise<Page<ListedContact>> {
    await requireList(owner, listId);
    const words = search?.trim() ?? "";
    const rows = await findContacts(owner, listId, { search: words, after, limit: limit + 1 });
    return pageOf(rows, limit, toContact, (row) => row.seq);
  }

  named(owner: Owner, words: string, limit: number): Promise<{ id: number; name: string; count: number }[]> {
    return findNamedLists(owner, words, limit);
  }

  async people(owner: Owner, words: string, limit: number): Promise<FoundPerson[]> {
    const found = new Map<number, FoundPerson>();
    for (const row of await findPeople(owner, words, limit)) {
      if (found.size === limit) break;
      const { name, phone, optedOut, asksToLeave } = toContact(row);
      if (!found.has(row.phone))
        found.set(row.phone, {
          id: row.id,
          name,
          phone,
          listId: row.list_id,
          listName: row.list_name,
          ...(optedOut ? { optedOut } : {}),
          ...(asksToLeave ? { asksToLeave } : {}),
        });
    }
    return [...found.values()];
  }

  async deleteList(owner: Owner, listId: number): Promise<{ contacts: number }> {
    await campaignsOf(owner).awaitStarts({ listId });
    const contacts = await owner.db.transaction().execute(async (tx) => {
      const inside = owner.in(tx);
      await campaignsOf(inside).lockOfList(listId);
      const name = (await lockList(inside, listId)) ?? missing();
      const count = (await deleteList(inside, listId)) ?? missing();
      await record(inside, { kind: "list_deleted", subject: name, details: { contacts: count } });
      return count;
    });
    publishPeople(this.#deps.changes, owner.accountId);
    return { contacts };
  }

  async exportList(owner: Owner, listId: number): Promise<Response> {
    const { downloads } = this.#deps;
    const list = await requireList(owner, listId);
    await record(owner, { kind: "data_exported", subject: list.name });
    const name = exportName(list, await this.#deps.timeZoneOf(owner));
    return listFile({ owner, downloads }, list, name);
  }

  async create(owner: Owner, input: NewContact): Promise<AddedContact> {
    const { contact, ninthAdded } = judge(input);
    const submission = submissionOf("contact", input.idempotencyKey, [contact, input.listId]);
    const { made } = await once(owner, submission, async (inside) => {
      await refuseErased(inside, this.#deps.secrets, contact.phone);
      return store(inside, contact, input.listId);
    });
    const { name } = await requireList(owner, made);
    publishPeople(this.#deps.changes, owner.accountId);
    return { listId: made, listName: name, contact, ninthAdded };
  }

  async importFile(owner: Owner, file: NewFile, body: ReadableStream<Uint8Array>): Promise<ContactImport> {
    return this.#accepted(owner, await acceptFile(this.#intake, owner, file, body));
  }

  async importJson(owner: Owner, body: StreamedJson<JsonListInput>): Promise<ContactImport> {
    return this.#accepted(owner, await acceptJson(this.#intake, owner, body));
  }

  createDraft(
    owner: Owner,
    query: Parameters<typeof createDraft>[2],
    body: ReadableStream<Uint8Array>,
  ): Promise<ImportDraft> {
    return createDraft(this.#intake, owner, query, body);
  }

  async importAtOnce(
    owner: Owner,
    query: Parameters<typeof importAtOnce>[2],
    body: ReadableStream<Uint8Array>,
  ): Promise<ContactImport> {
    const made = await importAtOnce(this.#intake, owner, query, body);
    publishPeople(this.#deps.changes, owner.accountId);
    return this.#accepted(owner, made);
  }

  readDraft(owner: Owner, id: number, reading: Parameters<typeof readDraft>[3]): Promise<ImportDraft> {
    return readDraft(this.#intake, owner, id, reading);
  }

  async startDraft(
    owner: Owner,
    id: number,
    decisions: Parameters<typeof startDraft>[3],
  ): Promise<ContactImport> {
    const made = await startDraft(this.#intake, owner, id, decisions);
    publishPeople(this.#deps.changes, owner.accountId);
    return this.#accepted(owner, made);
  }

  async removeDraft(owner: Owner, id: number): Promise<Record<string, never>> {
    await removeDraft(this.#intake, owner, id);
    return {};
  }

  async imports(owner: Owner): Promise<{ items: ContactImport[] }> {
    return { items: (await findImports(owner, NEWEST_IMPORTS)).map(toImport) };
  }

  async importReport(owner: Owner, importId: number): Promise<ContactImportReport> {
    const row = await requireImport(owner, importId);
    const page = { after: -1, limit: REPORT_ROWS };
    const refused = await findNotedRows(owner, importId, "refused", page);
    const ninth = await findNotedRows(owner, importId, "ninth_added", page);
    return {
      ...toImport(row),
      refusedRows: refused.map(shownRefused),
      ninthAddedRows: ninth.map(({ row_number, name, value }) => ({ row: row_number, name, value })),
    };
  }

  async refusedRows(owner: Owner, importId: number): Promise<Response> {
    const { downloads } = this.#deps;
    const { refused } = await requireImport(owner, importId);
    return refusedFile({ owner, downloads }, importId, refused);
  }

  template(): Response {
    async function* text() {
      yield contactsTemplate(words().files.contacts);
    }
    return textStream(text(), csvHeaders("Modelo.csv"));
  }

  async #accepted(owner: Owner, importId: number): Promise<ContactImport> {
    this.#deps.changes.mark(owner.accountId, "imports", importId);
    this.#deps.importer.kick();
    return toImport(await requireImport(owner, importId));
  }
}

async function requireList(owner: Owner, listId: number): Promise<ListRow> {
  return (await findList(owner, listId)) ?? missing();
}

async function requireImport(owner: Owner, importId: number): Promise<ImportRow> {
  return (await findImport(owner, importId)) ?? missing();
}

function missing(): never {
  throw new AppError("not_found");
}

function pageOf<Row, Shown>(
  rows: Row[],
  limit: number,
  shown: (row: Row) => Shown,
  keyOf: (row: Row) => number,
): Page<Shown> {
  const page = rows.slice(0, limit);
  const last = page.at(-1);
  return { items: page.map(shown), next: rows.length > limit && last ? keyOf(last) : null };
}

function judge(input: NewContact): ReadPerson {
  const read = readNewPerson(input);
  if ("errors" in read) throw fieldError(read.errors);
  return read;
}

async function store(
  owner: Owner,
  contact: { name: string; phone: string },
  listId: number | undefined,
): Promise<number> {
  if (listId !== undefined) {
    if ((await lockList(owner, listId)) === undefined) missing();
    const person = await putPerson(owner, contact);
    await requireRoom(owner, counts.PEOPLE);
    if (!(await appendPerson(owner, listId, person))) throw new AppError("contact_repeated");
    return listId;
  }
  const listName = `Contato manual - ${contact.name}`;
  // Without a key, a repeat would create a second list.
  if (await isListed(owner, listName, contact.phone)) throw new AppError("contact_repeated");
  const person = await putPerson(owner, contact);
  await requireRoom(owner, counts.LISTS);
  await requireRoom(owner, counts.PEOPLE);
  const made = await insertList(owner, listName);
  await appendPerson(owner, made, person);
  return made;
}
