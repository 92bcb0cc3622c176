import { useQuery } from "@tanstack/react-query";
import { api } from "../../api/call.ts";
import type { Option } from "../../components/inputs.tsx";
import { contactsText } from "../../messages/contacts.ts";
import { listName } from "./list-name.ts";

/** The newest hundred lists for a select. */
export function useListOptions() {
  const query = useQuery({
    queryKey: ["contacts", "options"],
    queryFn: ({ signal }) => api("GET /api/contact-lists", { query: { limit: 100 }, signal }),
  });
  const options: Option[] = (query.data?.items ?? []).map((list) => ({
    value: String(list.id),
    label: `${listName(list)} (${contactsText.count(list.count)})`,
  }));
  return { ...query, options };
}
