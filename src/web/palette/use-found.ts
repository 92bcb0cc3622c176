import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { ListChecks, Megaphone, MessageSquareText, UserRound } from "lucide-react";
import type { Found } from "../../contract/search.ts";
import { formatPhone } from "../../domain/phone-written.ts";
import { api } from "../api/call.ts";
import { usePaused } from "../lib/use-paused.ts";
import { campaignsText } from "../messages/campaigns.ts";
import { paletteText as t } from "../messages/palette.ts";
import { OPENED_FROM_OTHER_SCREEN } from "../routes/opened-from.ts";
import type { PaletteOption } from "./palette-options.ts";
import type { Go } from "./use-commands.ts";

/** One letter matches nearly everything. */
const LEAST = 2;

/** Debounced. `pending`: the shown results are of an earlier text. */
export function useFound(typed: string, go: Go) {
  const words = typed.trim();
  const asked = usePaused(words);
  const enabled = asked.length >= LEAST;
  const query = useQuery({
    queryKey: ["search", asked],
    queryFn: ({ signal }) => api("GET /api/search", { query: { q: asked }, signal }),
    enabled,
    placeholderData: keepPreviousData,
  });
  const wanted = words.length >= LEAST;
  return {
    options: wanted && query.data && !query.isError ? optionsOf(query.data, go) : [],
    pending: wanted && (words !== asked || query.isPending || query.isPlaceholderData),
    error: wanted && query.isError ? query.error : null,
    busy: query.isFetching,
    retry: () => void query.refetch(),
  };
}

function optionsOf({ campaigns, lists, contacts, templates }: Found, go: Go): PaletteOption[] {
  return [
    ...campaigns.map(
      ({ id, name, status }): PaletteOption => ({
        id: `campaign/${id}`,
        group: "campaigns",
        icon: Megaphone,
        label: name,
        detail: campaignsText.status[status],
        run: () =>
          status === "draft"
            ? go({ to: "/campaigns/new", search: { rascunho: id } })
            : go({ to: "/campaigns", search: { detalhes: id }, state: OPENED_FROM_OTHER_SCREEN }),
      }),
    ),
    ...lists.map(
      ({ id, name, count }): PaletteOption => ({
        id: `list/${id}`,
        group: "lists",
        icon: ListChecks,
        label: name || t.unnamedList(id),
        detail: t.people(count),
        run: () => go({ to: "/contacts", search: { lista: id } }),
      }),
    ),
    ...contacts.map(
      ({ id, name, phone }): PaletteOption => ({
        id: `contact/${phone}`,
        group: "contacts",
        icon: UserRound,
        label: name || t.noName,
        detail: formatPhone(phone),
        run: () => go({ to: "/contacts/pessoas/$personId", params: { personId: String(id) } }),
      }),
    ),
    ...templates.map(
      ({ id, name }): PaletteOption => ({
        id: `template/${id}`,
        group: "templates",
        icon: MessageSquareText,
        label: name,
        run: () => go({ to: "/mensagens", search: { busca: name } }),
      }),
    ),
  ];
}
