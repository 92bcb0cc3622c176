import type { Outcome } from "../../contract/campaigns.ts";
import {
  DISPLAY_STATUSES,
  type DisplayStatus,
  SHOWN_DELIVERIES,
  type ShownDelivery,
} from "../../domain/campaign.ts";
import { searchWords } from "../lib/search-words.ts";

/** Outcomes as the address names them, and as the server does. */
export const OUTCOMES = {
  tentativas: "attempts",
  enviadas: "accepted",
  entregues: "confirmed",
  lidas: "read",
  erros: "errors",
  verificar: "uncertain",
} as const satisfies Record<string, Outcome>;
export type NamedOutcome = keyof typeof OUTCOMES;

const NAMED_OUTCOMES = Object.keys(OUTCOMES) as NamedOutcome[];

/** What the list's address says, so that a view can be linked: what is looked for, how far, and the details that are open with their filter. */
export type CampaignsAddress = {
  busca?: string;
  filtro?: DisplayStatus;
  /** Those that are archived alone. */
  arquivadas?: true;
  /** One campaign alone. */
  campanha?: number;
  /** First and last day of sending, `2026-11-19`. */
  de?: string;
  ate?: string;
  resultado?: NamedOutcome;
  /** How many pages stand below one another; 1 is not said. */
  pagina?: number;
  detalhes?: number;
  status?: ShownDelivery;
};

/** More pages than anybody opens by hand: an address must not make the browser fetch a whole history. */
export const MOST_PAGES = 40;

/** What the server is asked for, page after page, to show the list of an address. */
export function listQuery({ busca, filtro, arquivadas, campanha, de, ate, resultado }: CampaignsAddress) {
  const outcome = resultado && OUTCOMES[resultado];
  return {
    search: busca,
    status: filtro,
    ...(arquivadas && { archived: "true" as const }),
    campaign: campanha,
    from: de,
    to: ate,
    outcome,
  };
}

const one = <T extends string>(known: readonly T[], value: unknown) => known.find((each) => each === value);

/** Reads the list's address; what cannot be meant is left out. */
export function campaignsAddress(search: Record<string, unknown>): CampaignsAddress {
  const address: CampaignsAddress = { ...wanted(search), ...period(search) };
  const pagina = rowId(search.pagina);
  if (pagina && pagina > 1) address.pagina = Math.min(pagina, MOST_PAGES);
  const detalhes = rowId(search.detalhes);
  if (detalhes) {
    address.detalhes = detalhes;
    const status = one(SHOWN_DELIVERIES, search.status);
    if (status) address.status = status;
  }
  return address;
}

function wanted(search: Record<string, unknown>): CampaignsAddress {
  const address: CampaignsAddress = {};
  // The router reads `?busca=2024` as a number.
  const words = typeof search.busca === "number" ? String(search.busca) : search.busca;
  if (typeof words === "string" && words.trim() !== "") address.busca = searchWords(words);
  const filtro = one(DISPLAY_STATUSES, search.filtro);
  if (filtro) address.filtro = filtro;
  if (search.arquivadas === true) address.arquivadas = true;
  const campanha = rowId(search.campanha);
  if (campanha) address.campanha = campanha;
  const resultado = one(NAMED_OUTCOMES, search.resultado);
  if (resultado) address.resultado = resultado;
  return address;
}

function period(search: Record<string, unknown>): CampaignsAddress {
  const [de, ate] = [dayOf(search.de), dayOf(search.ate)];
  // From later to earlier nobody means: the two were swapped.
  const swapped = de && ate && de > ate;
  const [from, to] = swapped ? [ate, de] : [de, ate];
  return { ...(from ? { de: from } : {}), ...(to ? { ate: to } : {}) };
}

/** A calendar day (`2026-11-19`) of an address or a date field; undefined for whatever is none, or before there was anything to send. */
export function dayOf(value: unknown): string | undefined {
  if (typeof value !== "string" || !/^\d{4}-\d{2}-\d{2}$/.test(value) || value < "2000-01-01") return;
  const at = new Date(`${value}T00:00:00Z`);
  return !Number.isNaN(at.getTime()) && at.toISOString().startsWith(value) ? value : undefined;
}

/** A row's number in an address; undefined for whatever is none. */
export function rowId(value: unknown): number | undefined {
  return Number.isSafeInteger(value) && Number(value) > 0 ? Number(value) : undefined;
}
