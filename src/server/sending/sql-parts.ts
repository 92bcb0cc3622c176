import { knownJids } from "./addresses/known-jids.ts";
import { campaignMessages, gotCampaign } from "./campaigns/messages-to.ts";
import { PLAN_USE } from "./campaigns/plan-use.ts";
import { SEGMENTS } from "./campaigns/segments.ts";
import { STOPPED_WITH } from "./campaigns/stopped-with.ts";
import { FURTHER_PARTS } from "./ledger/campaign-parts.ts";
import { daySums, latestPace } from "./ledger/day-reads.ts";
import { OPT_OUTS } from "./ledger/left-out.ts";
import { PARTS_SENT } from "./ledger/units.ts";
import { OUTCOMES } from "./outbox/stored.ts";
import { isOurs } from "./receipts/own-messages.ts";

/** Rows and conditions of sending's tables, as parts of other features' statements. */
export const READS = {
  optOuts: OPT_OUTS,
  segments: SEGMENTS,
  directOutcomes: OUTCOMES,
  stoppedWith: STOPPED_WITH,
  planUse: PLAN_USE,
  daySums,
  latestPace,
  campaignMessages,
  gotCampaign,
  furtherParts: FURTHER_PARTS,
  partsSent: PARTS_SENT,
  isOurs,
  knownJids,
};
