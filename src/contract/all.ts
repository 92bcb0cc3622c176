import { accounts } from "./accounts.ts";
import { agents, assistants } from "./agents.ts";
import { audiences } from "./audiences.ts";
import { audit } from "./audit.ts";
import { campaignCalendar } from "./campaign-calendar.ts";
import { campaigns } from "./campaigns.ts";
import { chats } from "./chats.ts";
import { connections, whatsapp } from "./connections.ts";
import { contactFields } from "./contact-fields.ts";
import { contacts } from "./contacts.ts";
import { dashboard } from "./dashboard.ts";
import { events } from "./events.ts";
import { attachments, uploads } from "./files.ts";
import { gateways, hooks, instances } from "./gateways.ts";
import { importDrafts } from "./import-drafts.ts";
import { library } from "./library.ts";
import { numberPlans } from "./number-plans.ts";
import { optOuts } from "./opt-outs.ts";
import { people } from "./people.ts";
import { search } from "./search.ts";
import { settings, unsubscribe } from "./settings.ts";
import { system } from "./system.ts";
import { testSends } from "./test-sends.ts";

/** Source of the web's typed client and of the OpenAPI document. */
export const contract = {
  accounts,
  agents,
  assistants,
  attachments,
  audiences,
  audit,
  campaignCalendar,
  campaigns,
  chats,
  connections,
  contactFields,
  contacts,
  dashboard,
  events,
  gateways,
  hooks,
  importDrafts,
  instances,
  library,
  numberPlans,
  optOuts,
  people,
  search,
  settings,
  system,
  testSends,
  unsubscribe,
  uploads,
  whatsapp,
};
