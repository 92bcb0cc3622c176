import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import type { Person, Selection } from "../../../contract/people.ts";
import { SELECTED_MOST } from "../../../domain/limits.ts";
import { peopleCountQuery, scopeOf } from "../../api/people.ts";
import type { PeopleAddress } from "../../routes/people.ts";

type Chosen = { scope: string; ids: ReadonlySet<number>; all: boolean };

const NOTHING = { ids: new Set<number>(), all: false };

/** Another list or search begins empty. */
export function useSelection(address: PeopleAddress) {
  const scope = JSON.stringify(scopeOf(address));
  const [kept, setKept] = useState<Chosen>({ scope, ...NOTHING });
  const { ids, all } = kept.scope === scope ? kept : NOTHING;
  const found = useQuery({ ...peopleCountQuery(address), enabled: ids.size > 0 || all });
  const matching = found.data?.people ?? null;
  const set = (next: ReadonlySet<number>, everyone = false) => setKept({ scope, ids: next, all: everyone });
  return {
    all,
    matching,
    /** Null until the number of all is known. */
    count: all ? matching : ids.size,
    has: (id: number) => all || ids.has(id),
    isFull: ids.size >= SELECTED_MOST,
    toggle: ({ id }: Person) => {
      const next = new Set(ids);
      if (!next.delete(id)) next.add(id);
      set(next);
    },
    toggleShown: (shown: readonly Person[]) => {
      if (ids.size > 0 || all) return set(NOTHING.ids);
      set(new Set(shown.slice(0, SELECTED_MOST).map(({ id }) => id)));
    },
    takeAll: () => set(NOTHING.ids, true),
    clear: () => set(NOTHING.ids),
    chosen: (): Selection => (all ? { all: scopeOf(address) } : { ids: [...ids] }),
  };
}

export type Selecting = ReturnType<typeof useSelection>;
