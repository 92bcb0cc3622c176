import type { ContactListCard } from "../../contract/contacts.ts";
import { AppError } from "../../domain/errors.ts";
import { record } from "../audit/service.ts";
import { requireRoom } from "../db/account-limits.ts";
import { once, submissionOf } from "../db/idempotency.ts";
import { type Changes, publishPeople } from "../db/live-updates.ts";
import type { Owner } from "../db/owner.ts";
import { LISTS, PEOPLE } from "./counts.ts";
import { listNameOf } from "./imports.ts";
import { copyPlaces, renameList } from "./lists-repo.ts";
import { toContactList } from "./presenter.ts";
import { findList, insertList, lockList } from "./repo.ts";
import { lockSelections } from "./selection-repo.ts";

type NewList = { name: string; idempotencyKey?: string | undefined };

export class ListService {
  readonly #changes: Pick<Changes, "mark">;

  constructor(changes: Pick<Changes, "mark">) {
    this.#changes = changes;
  }

  create(owner: Owner, input: NewList): Promise<ContactListCard> {
    const name = listNameOf(input.name);
    return this.#made(owner, submissionOf("list", input.idempotencyKey, [name]), async (inside) => {
      await requireRoom(inside, LISTS);
      return insertList(inside, name);
    });
  }

  duplicate(owner: Owner, listId: number, input: NewList): Promise<ContactListCard> {
    const name = listNameOf(input.name);
    return this.#made(owner, submissionOf("list", input.idempotencyKey, [name, listId]), async (inside) => {
      await lockSelections(inside);
      const from = (await lockList(inside, listId)) ?? missing();
      await requireRoom(inside, LISTS);
      const made = await insertList(inside, name);
      await copyPlaces(inside, listId, made);
      // They are counted by now.
      await requireRoom(inside, PEOPLE, 0);
      await record(inside, { kind: "list_duplicated", subject: name, details: { from } });
      return made;
    });
  }

  async rename(owner: Owner, listId: number, typed: string): Promise<ContactListCard> {
    const name = listNameOf(typed);
    await owner.db.transaction().execute(async (tx) => {
      const inside = owner.in(tx);
      const from = (await lockList(inside, listId)) ?? missing();
      if (from === name) return;
      await renameList(inside, listId, name);
      await record(inside, { kind: "list_renamed", subject: name, details: { from } });
    });
    publishPeople(this.#changes, owner.accountId);
    return card(owner, listId);
  }

  async #made(owner: Owner, ...[submission, make]: MadeOnce): Promise<ContactListCard> {
    const { made } = await once(owner, submission, make);
    publishPeople(this.#changes, owner.accountId);
    return card(owner, made);
  }
}

type MadeOnce = [Parameters<typeof once>[1], Parameters<typeof once>[2]];

async function card(owner: Owner, listId: number): Promise<ContactListCard> {
  return toContactList((await findList(owner, listId)) ?? missing());
}

function missing(): never {
  throw new AppError("not_found");
}
