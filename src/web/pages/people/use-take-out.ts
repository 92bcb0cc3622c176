import type { Selection } from "../../../contract/people.ts";
import { errorTextOf } from "../../api/api-error.ts";
import { api } from "../../api/call.ts";
import { peopleText } from "../../messages/people.ts";
import { toastDone, toastFailed, toastUndo } from "../../ui/toast.tsx";
import { usePeopleChanged } from "./use-people-changed.ts";

const t = peopleText.takeOut;

type List = { id: number; name: string };
type Words = { done?: string; undone?: string };

/** True when it was done. */
export function useTakeOut() {
  const changed = usePeopleChanged();
  return async (selection: Selection, { id: listId }: List, words: Words = {}): Promise<boolean> => {
    try {
      const { people } = await api("POST /api/people/remove-from-list", { body: { selection, listId } });
      await changed();
      const said = words.done ?? t.done(people);
      if (people === 0 || "all" in selection) toastDone(said);
      else
        toastUndo(said, async () => {
          const back = await api("POST /api/people/add-to-list", { body: { selection, listId } });
          await changed();
          return words.undone ?? t.undone(back.people);
        });
      return true;
    } catch (error) {
      toastFailed(errorTextOf(error, t.failed));
      return false;
    }
  };
}
