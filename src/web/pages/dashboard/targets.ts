import type { Dashboard } from "../../../contract/dashboard.ts";
import type { DisplayStatus } from "../../../domain/campaign.ts";
import type { CampaignsAddress, NamedOutcome } from "../../routes/campaigns.ts";
import { OPENED_FROM_OTHER_SCREEN } from "../../routes/opened-from.ts";

/** Where a figure leads: the list of campaigns that adds up to it. `campaign`: the one the dashboard is about, if it is about one. */
export const withOutcome = (resultado: NamedOutcome, campaign: number | undefined): CampaignsAddress => ({
  ...only(campaign),
  resultado,
});

export const withStatus = (filtro: DisplayStatus, campaign: number | undefined): CampaignsAddress => ({
  ...only(campaign),
  filtro,
});

export const onDays = (de: string, ate: string, campaign: number | undefined): CampaignsAddress => ({
  ...only(campaign),
  de,
  ate,
});

const only = (campaign: number | undefined): CampaignsAddress => (campaign ? { campanha: campaign } : {});

/**
 * Where a campaign's people are to be seen: one by one once it has begun, before that as the list it is made for, while its form can be
 * opened.
 */
export function toPeople({ id, status, started, messages }: Dashboard["recent"][number]) {
  if (messages === null) return null;
  if (started)
    return { to: "/campaigns", search: { detalhes: id }, state: OPENED_FROM_OTHER_SCREEN } as const;
  const editable = status === "draft" || status === "scheduled";
  return editable ? ({ to: "/campaigns/new", search: { rascunho: id } } as const) : null;
}
