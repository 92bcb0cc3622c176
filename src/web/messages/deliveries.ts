import { deliveryNamesIn, PORTUGUESE_DELIVERIES } from "../../contract/delivery-names.ts";

/** What a person's place in a campaign is called. Apart from server.ts, whose tables are more than a chat should have to load. */
export const deliveryName = deliveryNamesIn(PORTUGUESE_DELIVERIES);
