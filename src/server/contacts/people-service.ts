import type { z } from "zod";
import type { PersonDetails, people } from "../../contract/people.ts";
import { AppError } from "../../domain/errors.ts";
import { requireRoom } from "../db/account-limits.ts";
import type { ErasedSecrets } from "../db/erased-people.ts";
import { isUniqueViolation } from "../db/errors.ts";
import { type Changes, publishPeople } from "../db/live-updates.ts";
import type { Owner } from "../db/owner.ts";
import { fieldError } from "../http/errors.ts";
import { optOutsOf } from "../sending/sending.ts";
import { PEOPLE } from "./counts.ts";
import { refuseErased } from "./erased-people.ts";
import { readFieldChanges } from "./fields-service.ts";
import { badCursor, type PeoplePlace, readPeopleCursor, writeCursor } from "./people-cursor.ts";
import { personHistory, type RepliesOf } from "./people-history.ts";
import { findPage, placeOf } from "./people-page.ts";
import { toPerson, toPersonDetails } from "./people-presenter.ts";
import {
  absorbPerson,
  countMatches,
  countShown,
  findByPhone,
  findListsOf,
  findPerson,
  findPhones,
  lockPeople,
  type NamedPhone,
  PHONE_KEY,
  updatePerson,
} from "./people-repo.ts";
import { whyOf } from "./people-why.ts";
import { type InputErrors, readNewPerson, readPersonName, readPhoneOf } from "./person-input.ts";
import { countAdded, insertPerson } from "./person-repo.ts";
import { appendPerson } from "./repo.ts";
import { lockLists, lockSelections } from "./selection-repo.ts";

type Query<Name extends "list" | "history"> = z.output<(typeof people)[Name]["query"]>;
type Body<Name extends "create" | "update" | "merge"> = z.output<(typeof people)[Name]["body"]>;
type Details = z.input<typeof PersonDetails>;
type Shown = { listId?: number | undefined; search?: string | undefined };

export type PeopleDeps = {
  changes: Pick<Changes, "mark">;
  repliesOf: RepliesOf;
  secrets: ErasedSecrets;
  timeZoneOf(owner: Owner): Promise<string>;
};

export class PeopleService {
  readonly #deps: PeopleDeps;

  constructor(deps: PeopleDeps) {
    this.#deps = deps;
  }

  async list(owner: Owner, query: Query<"list">) {
    const { search = "", sort, limit } = query;
    const listId = query.listId ?? null;
    const by: PeoplePlace["by"] = sort === "created" && listId !== null ? "seq" : sort;
    const after = readPeopleCursor(query.cursor);
    if (after !== null && after.by !== by) throw badCursor();
    const total = (await countShown(owner, listId)) ?? missing();
    const order = { by, descending: query.descending === "true" };
    const wanted = { listId, order, after, ids: null, search: search.trim(), limit: limit + 1 };
    const inAccount = listId === null ? total : ((await countShown(owner, null)) ?? 0);
    const rows = await findPage(owner, wanted, { inList: total, inAccount });
    const page = rows.slice(0, limit);
    const last = page.at(-1);
    const next = rows.length > limit && last ? writeCursor(placeOf(by, last)) : null;
    return { items: page.map(toPerson), total, next };
  }

  async count(owner: Owner, { search = "", ...shown }: Shown): Promise<{ people: number }> {
    const listId = shown.listId ?? null;
    const total = (await countShown(owner, listId)) ?? missing();
    const words = search.trim();
    return { people: words === "" ? total : await countMatches(owner, listId, words) };
  }

  async find(owner: Owner, id: number): Promise<Details> {
    const row = (await findPerson(owner, id)) ?? missing();
    const [lists, optOut] = [await findListsOf(owner, id), await optOutsOf(owner).find(row.phone)];
    return toPersonDetails(row, { lists, optOut });
  }

  async history(owner: Owner, id: number, query: Query<"history">) {
    const { phone } = (await findPerson(owner, id)) ?? missing();
    return personHistory(owner, phone, { ...query, repliesOf: this.#deps.repliesOf });
  }

  async why(owner: Owner, id: number) {
    const { repliesOf, timeZoneOf } = this.#deps;
    return whyOf(owner, await this.find(owner, id), { repliesOf, timeZone: await timeZoneOf(owner) });
  }

  async create(owner: Owner, input: Body<"create">): Promise<Details> {
    const read = readNewPerson(input);
    const id = await owner.db.transaction().execute(async (tx) => {
      const inside = owner.in(tx);
      const { set: fields, errors } = await readFieldChanges(inside, input.fields ?? {});
      if ("errors" in read) throw fieldError({ ...read.errors, ...errors });
      refuse(errors);
      await refuseErased(inside, this.#deps.secrets, read.contact.phone, input.takeBack);
      return insertInto(inside, { ...read.contact, fields }, input.listIds ?? []);
    });
    return this.#changed(owner, id);
  }

  async update(owner: Owner, id: number, input: Body<"update">): Promise<Details> {
    let phone: string | undefined;
    const change = owner.db.transaction().execute(async (tx) => {
      const inside = owner.in(tx);
      const { set, removed, errors } = await readFieldChanges(inside, input.fields ?? {});
      const [known = missing()] = await lockPeople(inside, [id]);
      const own = readOwn([known.phone], input);
      refuse({ ...own.errors, ...errors });
      phone = own.phone;
      if (phone !== undefined && phone !== known.phone) await refuseErased(inside, this.#deps.secrets, phone);
      await updatePerson(inside, id, { ...own, set, removed });
    });
    await change.catch(async (error: unknown) => {
      if (phone === undefined || !isUniqueViolation(error, PHONE_KEY)) throw error;
      throw phoneTaken(await findByPhone(owner, phone));
    });
    return this.#changed(owner, id);
  }

  async merge(owner: Owner, id: number, input: Body<"merge">): Promise<Details> {
    const { otherId } = input;
    if (otherId === id) throw fieldError({ otherId: "invalid" });
    await owner.db.transaction().execute(async (tx) => {
      const inside = owner.in(tx);
      const { set, errors } = await readFieldChanges(inside, input.fields);
      // An opt-out that goes along locks campaigns, which come before lists.
      await optOutsOf(inside).hold(await findPhones(inside, [id, otherId]));
      await lockSelections(inside);
      await lockLists(inside, null);
      const both = await lockPeople(inside, [id, otherId]);
      if (both.length < 2) missing();
      const phones = both.map((each) => each.phone);
      const own = readOwn(phones, input);
      const isOfBoth = own.phone === undefined || phones.includes(own.phone);
      refuse({ ...own.errors, ...(isOfBoth ? {} : { phone: "invalid" as const }), ...errors });
      await absorbPerson(inside, id, otherId);
      await updatePerson(inside, id, { ...own, set, removed: [], keeps: false });
      const kept = (await findPerson(inside, id))?.phone;
      if (kept !== undefined) await carryOptOut(inside, phones, kept);
    });
    return this.#changed(owner, id);
  }

  #changed(owner: Owner, id: number): Promise<Details> {
    publishPeople(this.#deps.changes, owner.accountId);
    return this.find(owner, id);
  }
}

/** Who left under one phone has left under the other; otherwise a merge would bring campaigns back. */
async function carryOptOut(inside: Owner, phones: readonly string[], kept: string): Promise<void> {
  if (await optOutsOf(inside).find(kept)) return;
  for (const phone of phones) {
    const left = await optOutsOf(inside).find(phone);
    if (left)
      await optOutsOf(inside).add({ phone: kept, source: left.source, connectionId: null, text: left.text });
  }
}

async function insertInto(
  inside: Owner,
  person: { name: string; phone: string; fields: Details["fields"] },
  listIds: readonly number[],
): Promise<number> {
  const lists = await lockLists(inside, listIds);
  if (lists.length < new Set(listIds).size) missing();
  const id = await insertPerson(inside, person);
  if (id === null) throw phoneTaken(await findByPhone(inside, person.phone));
  // Each place counts as well.
  await requireRoom(inside, PEOPLE, Math.max(1, lists.length));
  await countAdded(inside, 1);
  for (const listId of lists) await appendPerson(inside, listId, { id, added: false });
  return id;
}

/** The other person may be gone by now. */
function phoneTaken(known: NamedPhone | undefined): AppError {
  if (!known) return new AppError("unavailable");
  return new AppError("phone_taken", { ...known, name: known.name || known.phone });
}

type Own = { name?: string; phone?: string; errors: InputErrors };

function readOwn(
  phones: readonly string[],
  input: { name?: string | undefined; phone?: string | undefined },
): Own {
  const read: Own = { errors: {} };
  if (input.name !== undefined) {
    const name = readPersonName(input.name);
    if ("error" in name) read.errors.name = name.error;
    else read.name = name.name;
  }
  if (input.phone !== undefined) {
    const number = readPhoneOf(phones, input.phone);
    if ("error" in number) read.errors.phone = number.error;
    else read.phone = number.phone;
  }
  return read;
}

function refuse(errors: InputErrors): void {
  if (Object.keys(errors).length > 0) throw fieldError(errors);
}

function missing(): never {
  throw new AppError("not_found");
}
