import { rowId } from "./campaigns.ts";

export type DashboardAddress = {
  campanha?: number;
  dias?: 30 | 90;
  ver?: "tabela";
};

/** Invalid values are dropped. */
export function dashboardAddress(search: Record<string, unknown>): DashboardAddress {
  const campanha = rowId(search.campanha);
  return {
    ...(campanha ? { campanha } : {}),
    ...(search.dias === 30 || search.dias === 90 ? { dias: search.dias } : {}),
    ...(search.ver === "tabela" ? { ver: search.ver } : {}),
  };
}
