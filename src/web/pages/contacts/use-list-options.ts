import { useQuery } from "@tanstack/react-query";
import type { ContactListCard } from "../../../contract/contacts.ts";
import { api } from "../../api/call.ts";
import { listName } from "../../lib/list-name.ts";
import { contactsText } from "../../messages/contacts.ts";
import type { Option } from "../../ui/inputs.tsx";

const PAGE = 100;

export function useListOptions() {
  const query = useQuery({
    queryKey: ["contacts", "options"],
    queryFn: ({ signal }) => allLists(signal),
  });
  const options: Option[] = (query.data ?? []).map((list) => ({
    value: String(list.id),
    label: `${listName(list)} (${contactsText.count(list.count)})`,
  }));
  return { ...query, options, has: (id: string) => options.some(({ value }) => value === id) };
}

async function allLists(signal: AbortSignal): Promise<ContactListCard[]> {
  const lists: ContactListCard[] = [];
  let after: number | null | undefined;
  while (after !== null) {
    const query = { limit: PAGE, ...(after ? { after } : {}) };
    const page: { items: ContactListCard[]; next: number | null } = await api("GET /api/contact-lists", {
      query,
      signal,
    });
    lists.push(...page.items);
    after = page.next;
  }
  return lists;
}
