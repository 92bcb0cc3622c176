import type { QueryClient } from "@tanstack/react-query";
import { linksQuery, mistralSettingsQuery } from "../api/agents.ts";
import { calendarQuery, campaignQuery, campaignsQuery } from "../api/campaigns.ts";
import { chatListQuery, chatQuery, messagesQuery } from "../api/chats.ts";
import { connectionsQuery, planQuery } from "../api/connections.ts";
import { contactListsQuery, importsQuery, listsMenuQuery, optOutsQuery } from "../api/contacts.ts";
import { dashboardQuery } from "../api/dashboard.ts";
import { gatewaysQuery } from "../api/gateways.ts";
import { installationQuery } from "../api/installation.ts";
import { fieldsQuery, historyQuery, peopleQuery, personQuery } from "../api/people.ts";
import { summaryQuery } from "../api/summary-query.ts";
import { templatesQuery } from "../api/templates.ts";
import type { CampaignsAddress } from "../routes/campaigns.ts";
import type { ChatAddress } from "../routes/chat.ts";
import type { ContactsAddress } from "../routes/contacts.ts";
import type { DashboardAddress } from "../routes/dashboard.ts";
import type { LibraryAddress } from "../routes/library.ts";
import type { PeopleAddress } from "../routes/people.ts";

/* Loaders start the requests of a screen while its files load, and do not wait for them. */

/** The screen's own query shows the error. */
function inBackground(...asked: Promise<unknown>[]): void {
  for (const each of asked) each.catch(() => undefined);
}

export const loadShell = (queries: QueryClient) =>
  inBackground(queries.ensureQueryData(summaryQuery), queries.ensureQueryData(installationQuery));

export const loadDashboard = (queries: QueryClient, address: DashboardAddress) =>
  inBackground(queries.ensureQueryData(dashboardQuery(address)));

export const loadCampaigns = (queries: QueryClient, address: CampaignsAddress) => {
  inBackground(queries.ensureInfiniteQueryData(campaignsQuery(address)));
  if (address.detalhes !== undefined) inBackground(queries.ensureQueryData(campaignQuery(address.detalhes)));
};

export const loadCalendar = (queries: QueryClient, month: string) =>
  inBackground(queries.ensureQueryData(calendarQuery(month)));

export const loadNewCampaign = (queries: QueryClient) =>
  inBackground(queries.ensureQueryData(connectionsQuery), queries.ensureQueryData(listsMenuQuery));

export const loadContacts = (queries: QueryClient, address: ContactsAddress) =>
  inBackground(
    queries.ensureInfiniteQueryData(contactListsQuery(address)),
    queries.ensureQueryData(importsQuery),
    queries.ensureQueryData(optOutsQuery),
  );

export const loadPeople = (queries: QueryClient, address: PeopleAddress) =>
  inBackground(
    queries.ensureInfiniteQueryData(peopleQuery(address)),
    queries.ensureQueryData(fieldsQuery),
    queries.ensureQueryData(listsMenuQuery),
  );

export const loadNumber = (queries: QueryClient, id: number | undefined) => {
  if (id !== undefined) inBackground(queries.ensureQueryData(planQuery(id)));
};

export const loadPerson = (queries: QueryClient, id: number | undefined) => {
  if (id === undefined) return;
  inBackground(
    queries.ensureQueryData(personQuery(id)),
    queries.ensureInfiniteQueryData(historyQuery(id)),
    queries.ensureQueryData(fieldsQuery),
  );
};

export const loadChat = (queries: QueryClient, { conexao, conversa }: ChatAddress) => {
  inBackground(queries.ensureQueryData(connectionsQuery));
  if (conexao !== undefined) inBackground(queries.ensureQueryData(chatListQuery(conexao, "")));
  if (conversa === undefined) return;
  inBackground(
    queries.ensureQueryData(chatQuery(conversa)),
    queries.ensureQueryData(messagesQuery(conversa)),
  );
};

export const loadLibrary = (queries: QueryClient, { busca = "" }: LibraryAddress) =>
  inBackground(queries.ensureInfiniteQueryData(templatesQuery(busca)));

export const loadInstances = (queries: QueryClient) => inBackground(queries.ensureQueryData(gatewaysQuery));

export const loadAgents = (queries: QueryClient) =>
  inBackground(
    queries.ensureQueryData(mistralSettingsQuery),
    queries.ensureQueryData(linksQuery),
    queries.ensureQueryData(connectionsQuery),
  );
