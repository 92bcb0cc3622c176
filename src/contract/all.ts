import { accounts } from "./accounts.ts";
import { campaigns } from "./campaigns.ts";
import { connections, whatsapp } from "./connections.ts";
import { contacts } from "./contacts.ts";
import { dashboard } from "./dashboard.ts";
import { images } from "./files.ts";

/** Every endpoint of the product, by noun. The web's typed caller and the OpenAPI document are derived from this one object. */
export const contract = { accounts, campaigns, connections, contacts, dashboard, images, whatsapp };
