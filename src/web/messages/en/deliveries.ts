import { deliveryNamesIn, ENGLISH_DELIVERIES } from "../../../contract/delivery-names.ts";
import type { deliveryName as portuguese } from "../deliveries.ts";

export const deliveryName: typeof portuguese = deliveryNamesIn(ENGLISH_DELIVERIES);
