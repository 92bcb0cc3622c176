import { sql } from "kysely";
import type { Erasure } from "../../contract/people.ts";
import { ninthDigitForms } from "../../domain/chat-id.ts";
import { AppError } from "../../domain/errors.ts";
import { eraseSubjects, phoneEnd, record } from "../audit/service.ts";
import { addErased, type ErasedSecrets, holdErasures } from "../db/erased-people.ts";
import { isLockTimeout } from "../db/errors.ts";
import { type Changes, publishPeople } from "../db/live-updates.ts";
import type { Owner } from "../db/owner.ts";
import type { Downloads } from "../jobs/downloads.ts";
import { optOutsOf } from "../sending/sending.ts";
import { deleteNotedRows, deletePerson, renameLists } from "./erase-repo.ts";
import { toPersonDetails } from "./people-presenter.ts";
import { findListsOf, findPerson, lockPeople } from "./people-repo.ts";
import { type PersonChats, personFile } from "./person-export.ts";
import { lockLists, lockSelections } from "./selection-repo.ts";

export type ErasureDeps = {
  changes: Pick<Changes, "mark">;
  secrets: ErasedSecrets;
  downloads: Downloads;
  chats: PersonChats;
  deleteEventsOf(owner: Owner, names: readonly string[]): Promise<void>;
};

/** An import may take longer. */
const WAIT = "3s";

const HAND_LIST = "Contato manual";

export class ErasureService {
  readonly #deps: ErasureDeps;

  constructor(deps: ErasureDeps) {
    this.#deps = deps;
  }

  async preview(owner: Owner, id: number): Promise<Erasure> {
    const names = await this.#namesOf(owner, await phoneOf(owner, id));
    const chats = await this.#deps.chats.count(owner, names);
    return { ...(await optOutsOf(owner).traces(names)), ...chats };
  }

  async export(owner: Owner, id: number): Promise<Response> {
    const { chats, downloads } = this.#deps;
    const row = (await findPerson(owner, id)) ?? missing();
    const [lists, optOut] = [await findListsOf(owner, id), await optOutsOf(owner).find(row.phone)];
    await record(owner, { kind: "person_exported", subjectId: id });
    const person = toPersonDetails(row, { lists, optOut });
    return personFile({ owner, chats, downloads }, person, await this.#namesOf(owner, row.phone));
  }

  async erase(owner: Owner, id: number): Promise<{ campaigns: number; chats: number }> {
    const erased = await owner.db
      .transaction()
      .execute((tx) => this.#eraseIn(owner.in(tx), id))
      .catch((error: unknown) => {
        throw isLockTimeout(error) ? new AppError("people_busy") : error;
      });
    const { changes } = this.#deps;
    publishPeople(changes, owner.accountId);
    changes.mark(owner.accountId, "campaigns");
    changes.mark(owner.accountId, "chats");
    return erased;
  }

  async #eraseIn(inside: Owner, id: number): Promise<{ campaigns: number; chats: number }> {
    const { chats, secrets, deleteEventsOf } = this.#deps;
    await sql`set local lock_timeout = ${sql.lit(WAIT)}`.execute(inside.db);
    await holdErasures(inside.db, inside.accountId, "erase");
    const phone = await phoneOf(inside, id);
    const before = await this.#namesOf(inside, phone);
    await chats.hold(inside, before);
    const names = await this.#namesOf(inside, phone);
    const { name } = (await findPerson(inside, id)) ?? missing();
    const list = { from: `${HAND_LIST} - ${name}`, to: HAND_LIST };
    const { campaigns } = await optOutsOf(inside).erase(names, list);
    await lockSelections(inside);
    await lockLists(inside, null);
    const [locked = missing()] = await lockPeople(inside, [id]);
    if (locked.phone !== phone || locked.name !== name) throw new AppError("people_busy");
    const gone = await chats.erase(inside, names);
    await deleteEventsOf(inside, [phone, ...names.addresses]);
    await deleteNotedRows(inside, localForms(phone), name);
    await renameLists(inside, list.from, list.to);
    await deletePerson(inside, id);
    await addErased(inside, secrets, phone);
    await eraseSubjects(inside, [phoneEnd(phone), ...(name === "" ? [] : [name, list.from])]);
    await record(inside, { kind: "person_erased", details: { campaigns, chats: gone } });
    return { campaigns, chats: gone };
  }

  async #namesOf(owner: Owner, phone: string) {
    const known = [
      ...(await optOutsOf(owner).addressesOf(phone)),
      ...(await this.#deps.chats.addressesOf(owner, phone)),
      ...ninthDigitForms(phone).flatMap((digits) => [digits, `${digits}@s.whatsapp.net`]),
    ];
    return { phone, addresses: [...new Set(known)].filter((address) => address !== phone) };
  }
}

async function phoneOf(owner: Owner, id: number): Promise<string> {
  return ((await findPerson(owner, id)) ?? missing()).phone;
}

const localForms = (phone: string) =>
  ninthDigitForms(phone).map((digits) => (digits.startsWith("55") ? digits.slice(2) : digits));

function missing(): never {
  throw new AppError("not_found");
}
