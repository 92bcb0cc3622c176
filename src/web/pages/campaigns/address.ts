import {
  CAMPAIGN_STATUSES,
  type CampaignStatus,
  SHOWN_DELIVERIES,
  type ShownDelivery,
} from "../../../domain/campaign.ts";

/** What the list's address says, so that a view can be linked: search, filter, and the details that are open with their filter. */
export type CampaignsAddress = {
  busca?: string;
  filtro?: CampaignStatus;
  detalhes?: number;
  status?: ShownDelivery;
};

const one = <T extends string>(known: readonly T[], value: unknown) => known.find((each) => each === value);

/** Reads the list's address; what cannot be meant is left out. */
export function campaignsAddress(search: Record<string, unknown>): CampaignsAddress {
  const address: CampaignsAddress = {};
  // The router reads `?busca=2024` as a number.
  const words = typeof search.busca === "number" ? String(search.busca) : search.busca;
  if (typeof words === "string" && words.trim() !== "") address.busca = words;
  const filtro = one(CAMPAIGN_STATUSES, search.filtro);
  if (filtro) address.filtro = filtro;
  const detalhes = rowId(search.detalhes);
  if (detalhes) {
    address.detalhes = detalhes;
    const status = one(SHOWN_DELIVERIES, search.status);
    if (status) address.status = status;
  }
  return address;
}

/** A row's number in an address; undefined for whatever is none. */
export function rowId(value: unknown): number | undefined {
  return Number.isSafeInteger(value) && Number(value) > 0 ? Number(value) : undefined;
}
