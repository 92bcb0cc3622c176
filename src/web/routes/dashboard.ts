import { rowId } from "./campaigns.ts";

/** What the dashboard's address says: the campaign whose figures are shown, and how far back and in which form the chart is. */
export type DashboardAddress = {
  campanha?: number;
  /** Seven is not said. */
  dias?: 30 | 90;
  ver?: "tabela";
};

/** Reads the dashboard's address; what cannot be meant is left out. */
export function dashboardAddress(search: Record<string, unknown>): DashboardAddress {
  const campanha = rowId(search.campanha);
  return {
    ...(campanha ? { campanha } : {}),
    ...(search.dias === 30 || search.dias === 90 ? { dias: search.dias } : {}),
    ...(search.ver === "tabela" ? { ver: search.ver } : {}),
  };
}
