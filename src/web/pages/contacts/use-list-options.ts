import { useQuery } from "@tanstack/react-query";
import type { ContactListCard } from "../../../contract/contacts.ts";
import { api } from "../../api/call.ts";
import type { Option } from "../../components/inputs.tsx";
import { contactsText } from "../../messages/contacts.ts";
import { listName } from "./list-name.ts";

const PAGE = 100;

/** The lists for a select, newest first, and which of them is chosen: none any more once `wanted` has gone. */
export function useListOptions(wanted: string) {
  const query = useQuery({
    queryKey: ["contacts", "options"],
    queryFn: ({ signal }) => allLists(signal),
  });
  const options: Option[] = (query.data ?? []).map((list) => ({
    value: String(list.id),
    label: `${listName(list)} (${contactsText.count(list.count)})`,
  }));
  const chosen = options.some(({ value }) => value === wanted) ? wanted : "";
  return { ...query, options, chosen };
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
