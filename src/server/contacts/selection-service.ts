import type { Selection } from "../../contract/people.ts";
import { AppError } from "../../domain/errors.ts";
import { record } from "../audit/service.ts";
import { requireRoom } from "../db/account-limits.ts";
import { type Changes, publishPeople } from "../db/live-updates.ts";
import type { Owner } from "../db/owner.ts";
import { PEOPLE } from "./counts.ts";
import {
  deleteSelected,
  lockLists,
  lockSelections,
  placeSelected,
  takeSelectedOut,
} from "./selection-repo.ts";

type Touched = { people: number };
type InList = { selection: Selection; listId: number };

export class SelectionService {
  readonly #changes: Pick<Changes, "mark">;

  constructor(changes: Pick<Changes, "mark">) {
    this.#changes = changes;
  }

  addToList(owner: Owner, { selection, listId }: InList): Promise<Touched> {
    return this.#change(owner, selection, [listId], async (inside) => {
      const people = await placeSelected(inside, listId, selection);
      // They are counted by now.
      if (people > 0) await requireRoom(inside, PEOPLE, 0);
      return people;
    });
  }

  removeFromList(owner: Owner, { selection, listId }: InList): Promise<Touched> {
    return this.#change(owner, selection, [listId], (inside) => takeSelectedOut(inside, listId, selection));
  }

  remove(owner: Owner, selection: Selection): Promise<Touched> {
    return this.#change(owner, selection, null, async (inside) => {
      const people = await deleteSelected(inside, selection);
      if (people > 0) await record(inside, { kind: "people_removed", details: { contacts: people } });
      return people;
    });
  }

  /** `lists`: those that are changed; null: all. */
  async #change(
    owner: Owner,
    selection: Selection,
    lists: readonly number[] | null,
    work: (inside: Owner) => Promise<number>,
  ): Promise<Touched> {
    const named = "all" in selection && selection.all.listId !== undefined ? [selection.all.listId] : [];
    const people = await owner.db.transaction().execute(async (tx) => {
      const inside = owner.in(tx);
      await lockSelections(inside);
      const locked = await lockLists(inside, lists && [...lists, ...named]);
      if (![...(lists ?? []), ...named].every((id) => locked.includes(id))) throw new AppError("not_found");
      return work(inside);
    });
    if (people > 0) publishPeople(this.#changes, owner.accountId);
    return { people };
  }
}
