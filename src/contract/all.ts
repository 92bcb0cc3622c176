import { accounts } from "./accounts.ts";
import { campaigns } from "./campaigns.ts";
import { connections, whatsapp } from "./connections.ts";
import { contacts } from "./contacts.ts";
import { dashboard } from "./dashboard.ts";
import { events } from "./events.ts";
import { images } from "./files.ts";
import { system } from "./system.ts";

/** Every endpoint of the product, by noun. The web's typed caller and the OpenAPI document are derived from this one object. */
export const contract = {
  accounts,
  campaigns,
  connections,
  contacts,
  dashboard,
  events,
  images,
  system,
  whatsapp,
};
