import type { LimitName, LimitUse } from "../../domain/limits.ts";
import { agentCounts } from "../agents/service.ts";
import { connectionCounts } from "../connections/service.ts";
import { contactCounts } from "../contacts/service.ts";
import { type Limit, readLimits } from "../db/account-limits.ts";
import type { Owner } from "../db/owner.ts";
import { fileCounts } from "../files/service.ts";
import { gatewayCounts } from "../gateways/service.ts";
import { libraryCounts } from "../library/service.ts";
import { mailCounts } from "../notifications/service.ts";
import { sqlParts } from "../sending/sending.ts";

/** In the order in which they are shown. */
export const LIMIT_OF: { readonly [Name in LimitName]: Limit<Name> } = {
  numbers: connectionCounts.NUMBERS,
  instances: connectionCounts.INSTANCES,
  lists: contactCounts.LISTS,
  people: contactCounts.PEOPLE,
  deliveries: sqlParts().deliveriesLimit,
  templates: libraryCounts.TEMPLATES,
  waiting_imports: contactCounts.WAITING_IMPORTS,
  waiting_campaigns: sqlParts().waitingCampaignsLimit,
  stored_bytes: fileCounts.STORED_BYTES,
  letters_an_hour: mailCounts.LETTERS_AN_HOUR,
  agent_calls_a_day: agentCounts.CALLS_A_DAY,
  operator_agents: agentCounts.OPERATOR_AGENTS,
  operator_instances: gatewayCounts.OPERATOR_INSTANCES,
};

export const readAllLimits = (owner: Owner): Promise<LimitUse[]> =>
  readLimits(owner, Object.values(LIMIT_OF));
