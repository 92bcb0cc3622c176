import type { Dashboard } from "../../../contract/dashboard.ts";
import type { DisplayStatus } from "../../../domain/campaign.ts";
import type { CampaignsAddress, NamedOutcome } from "../../routes/campaigns.ts";
import { OPENED_FROM_OTHER_SCREEN } from "../../routes/opened-from.ts";

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

/** Deliveries of a started campaign, else its contact list while the form can be opened. */
export function toPeople({ id, status, started, messages }: Dashboard["recent"][number]) {
  if (messages === null) return null;
  if (started)
    return { to: "/campaigns", search: { detalhes: id }, state: OPENED_FROM_OTHER_SCREEN } as const;
  const editable = status === "draft" || status === "scheduled";
  return editable ? ({ to: "/campaigns/new", search: { rascunho: id } } as const) : null;
}
