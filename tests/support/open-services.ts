import type { Db } from "../../src/server/db/client.ts";
import { keepServicePolicy, type ServicePolicy } from "../../src/server/db/operator-services.ts";

export const openServices = (db: Db, policy: Partial<ServicePolicy> = {}) =>
  keepServicePolicy(db, { mistral: "all", gateways: "all", mail: "all", ...policy });
