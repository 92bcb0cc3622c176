import { askAhead } from "../api/call.ts";
import { campaignsAddress, listQuery } from "../routes/campaigns.ts";
import { chatAddress } from "../routes/chat.ts";
import { contactsAddress } from "../routes/contacts.ts";
import { dashboardAddress } from "../routes/dashboard.ts";
import { settingsAddress, type Tab } from "../routes/settings.ts";

const FIRST_ROWS = { after: -1, limit: 100 };

const SETTINGS: Record<Tab, () => Promise<unknown>> = {
  geral: () => import("../pages/settings/general-tab.tsx"),
  chaves: () => import("../pages/settings/keys-tab.tsx"),
  conexao: () => import("../pages/settings/connection-tab.tsx"),
  notificacoes: () => import("../pages/settings/notifications-tab.tsx"),
  uso: () => import("../pages/settings/usage-tab.tsx"),
  atividade: () => import("../pages/settings/activity-tab.tsx"),
};

/**
 * First requests of each screen by path, sent while its files load. A request that differs later is sent
 * twice; first-questions.spec.ts detects it.
 */
const QUESTIONS: Record<string, (search: Record<string, unknown>) => void> = {
  "/": (search) => {
    const { campanha, dias } = dashboardAddress(search);
    askAhead("GET /api/dashboard", { query: { campaign: campanha, ...(dias ? { days: `${dias}` } : {}) } });
    askAhead("GET /api/dashboard/first-steps");
  },
  "/campaigns": (search) => {
    const address = campaignsAddress(search);
    const { detalhes: id, status } = address;
    askAhead("GET /api/campaigns", { query: listQuery(address) });
    if (id === undefined) return;
    void import("../pages/campaigns/details/details-dialog.tsx");
    askAhead("GET /api/campaigns/{id}", { params: { id } });
    if (status === undefined)
      askAhead("GET /api/campaigns/{id}/deliveries", { params: { id }, query: FIRST_ROWS });
  },
  "/campaigns/new": () => {
    askAhead("GET /api/connections");
    askAhead("GET /api/contact-lists", { query: { limit: 100 } });
  },
  "/contacts": (search) => {
    const { busca = "", lista } = contactsAddress(search);
    askAhead("GET /api/contact-lists", {
      query: { search: busca, limit: 24, ...(lista ? { id: lista } : {}) },
    });
    askAhead("GET /api/contact-imports");
    askAhead("GET /api/opt-outs", { query: { skip: 0, limit: 100 } });
  },
  "/chat": (search) => {
    const { conexao, conversa: id } = chatAddress(search);
    askAhead("GET /api/connections");
    if (conexao) askAhead("GET /api/chats", { query: { connectionId: conexao } });
    if (id === undefined) return;
    askAhead("GET /api/chats/{id}", { params: { id } });
    askAhead("GET /api/chats/{id}/messages", { params: { id } });
  },
  "/instances": () => askAhead("GET /api/gateways"),
  "/chatbot": () => {
    askAhead("GET /api/mistral/settings");
    askAhead("GET /api/assistants");
    askAhead("GET /api/connections");
  },
  "/settings": (search) => void SETTINGS[settingsAddress(search).aba ?? "geral"](),
};

let asked = false;

/**
 * Prefetches for screen and frame, once per load: from ask-first.ts or main.tsx. `search`: parsed as JSON
 * where possible.
 */
export function askFirstQuestions(path: string, search: Record<string, unknown>): void {
  if (asked) return;
  asked = true;
  askAhead("GET /api/me");
  askAhead("GET /api/campaign-summary");
  askAhead("GET /api/installation");
  QUESTIONS[path.replace(/\/+$/, "") || "/"]?.(search);
}
