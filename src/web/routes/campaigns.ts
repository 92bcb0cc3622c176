import type { Outcome } from "../../contract/campaigns.ts";
import { BREAKER_FAILURES, type BreakerFailure } from "../../domain/breaker.ts";
import {
  DISPLAY_STATUSES,
  type DisplayStatus,
  SHOWN_DELIVERIES,
  type ShownDelivery,
} from "../../domain/campaign.ts";
import { MONTH } from "../../domain/campaign-calendar.ts";
import { searchWords } from "../lib/search-words.ts";

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

export type CampaignsAddress = {
  busca?: string;
  filtro?: DisplayStatus;
  arquivadas?: true;
  campanha?: number;
  de?: string;
  ate?: string;
  resultado?: NamedOutcome;
  /** Pages shown; 1 is omitted. */
  pagina?: number;
  detalhes?: number;
  status?: ShownDelivery;
  falha?: BreakerFailure;
};

/** Limit for a hand-made address: it must not load a whole history. */
export const MOST_PAGES = 40;

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

/** Invalid values are dropped. */
export function campaignsAddress(search: Record<string, unknown>): CampaignsAddress {
  const address: CampaignsAddress = { ...wanted(search), ...period(search) };
  const pagina = rowId(search.pagina);
  if (pagina && pagina > 1) address.pagina = Math.min(pagina, MOST_PAGES);
  const detalhes = rowId(search.detalhes);
  if (detalhes) {
    address.detalhes = detalhes;
    const status = one(SHOWN_DELIVERIES, search.status);
    if (status) address.status = status;
    const falha = one(BREAKER_FAILURES, search.falha);
    if (falha) address.falha = falha;
  }
  return address;
}

function wanted(search: Record<string, unknown>): CampaignsAddress {
  const address: CampaignsAddress = {};
  // The router parses `?busca=2024` as a number.
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
  // A reversed range was meant the other way round.
  const swapped = de && ate && de > ate;
  const [from, to] = swapped ? [ate, de] : [de, ate];
  return { ...(from ? { de: from } : {}), ...(to ? { ate: to } : {}) };
}

/** A calendar day `2026-11-19`; undefined if invalid or before any sending. */
export function dayOf(value: unknown): string | undefined {
  if (typeof value !== "string" || !/^\d{4}-\d{2}-\d{2}$/.test(value) || value < "2000-01-01") return;
  const at = new Date(`${value}T00:00:00Z`);
  return !Number.isNaN(at.getTime()) && at.toISOString().startsWith(value) ? value : undefined;
}

/** A row id; undefined if invalid. */
export function rowId(value: unknown): number | undefined {
  return Number.isSafeInteger(value) && Number(value) > 0 ? Number(value) : undefined;
}

/** `mes`: `2026-11`; without it the current one. */
export type CalendarAddress = { mes?: string };

export const calendarAddress = ({ mes }: Record<string, unknown>): CalendarAddress =>
  typeof mes === "string" && MONTH.test(mes) ? { mes } : {};
