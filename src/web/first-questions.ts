import { askAhead } from "./api/call.ts";
import { type CampaignsAddress, listQuery } from "./pages/campaigns/address.ts";
import type { ChatAddress } from "./pages/chat/address.ts";
import type { ContactsAddress } from "./pages/contacts/address.ts";
import type { DashboardAddress } from "./pages/dashboard/address.ts";

/** Of the list of deliveries, as far-rows.ts asks for it. */
const FIRST_ROWS = { after: -1, limit: 100 };

/**
 * What each screen asks for first, by its route. All of it is asked for while the screen's files are on their way; a question that the
 * screen then puts in other words is asked twice, which first-questions.spec.ts notices.
 */
const QUESTIONS: Record<string, (address: never) => void> = {
  "/shell": () => {
    askAhead("GET /api/campaign-summary");
    askAhead("GET /api/installation");
  },
  "/shell/": ({ campanha, dias }: DashboardAddress) => {
    askAhead("GET /api/dashboard", { query: { campaign: campanha, ...(dias ? { days: `${dias}` } : {}) } });
    askAhead("GET /api/dashboard/first-steps");
  },
  "/shell/campaigns": (address: CampaignsAddress) => {
    const { detalhes: id, status } = address;
    askAhead("GET /api/campaigns", { query: listQuery(address) });
    if (id === undefined) return;
    void import("./pages/campaigns/details/details-dialog.tsx");
    askAhead("GET /api/campaigns/{id}", { params: { id } });
    if (status === undefined)
      askAhead("GET /api/campaigns/{id}/deliveries", { params: { id }, query: FIRST_ROWS });
  },
  "/shell/campaigns/new": () => {
    askAhead("GET /api/connections");
    askAhead("GET /api/contact-lists", { query: { limit: 100 } });
  },
  "/shell/contacts": ({ busca = "", lista }: ContactsAddress) => {
    askAhead("GET /api/contact-lists", {
      query: { search: busca, limit: 24, ...(lista ? { id: lista } : {}) },
    });
    askAhead("GET /api/contact-imports");
    askAhead("GET /api/opt-outs", { query: { skip: 0, limit: 100 } });
  },
  "/shell/chat": ({ conexao, conversa: id }: ChatAddress) => {
    askAhead("GET /api/connections");
    if (conexao) askAhead("GET /api/chats", { query: { connectionId: conexao } });
    if (id === undefined) return;
    askAhead("GET /api/chats/{id}", { params: { id } });
    askAhead("GET /api/chats/{id}/messages", { params: { id } });
  },
  "/shell/instances": () => askAhead("GET /api/gateways"),
  "/shell/chatbot": () => {
    askAhead("GET /api/mistral/settings");
    askAhead("GET /api/assistants");
    askAhead("GET /api/connections");
  },
};

/** Asks for what the screen at `routeId` will ask for first. `search`: its address, as the route reads it. */
export function askFirstQuestions(routeId: string, search: object): void {
  QUESTIONS[routeId]?.(search as never);
}
