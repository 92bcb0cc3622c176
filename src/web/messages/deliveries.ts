import { deliveryNamesIn, PORTUGUESE_DELIVERIES } from "../../contract/delivery-names.ts";

/** Delivery states. Apart from server.ts, whose tables a chat need not load. */
export const deliveryName = deliveryNamesIn(PORTUGUESE_DELIVERIES);
