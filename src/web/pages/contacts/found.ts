import type { ContactListCard } from "../../../contract/contacts.ts";
import { contactsText as t } from "../../messages/contacts.ts";

export function foundIn(lists: readonly Pick<ContactListCard, "matches">[], more: boolean): string {
  if (!lists.some(({ matches }) => matches !== null)) return "\u00a0";
  if (more) return t.foundMore(lists.length);
  const contacts = lists.reduce((sum, { matches }) => sum + (matches ?? 0), 0);
  return contacts === 0 ? t.foundLists(lists.length) : t.foundIn(contacts, lists.length);
}

const plain = (text: string) => text.normalize("NFKD").replace(/\p{M}/gu, "").toLowerCase();

export const nameHolds = (name: string, words: string) => plain(name).includes(plain(words.trim()));
