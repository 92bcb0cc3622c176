import type { ShownDelivery } from "../domain/campaign.ts";
import { type FailureReason, isFailureReason } from "../domain/failure-reasons.ts";

export type DeliveryNames = {
  names: Readonly<Record<ShownDelivery, string>>;
  leftOut: Readonly<Partial<Record<FailureReason, string>>>;
};

export const PORTUGUESE_DELIVERIES: DeliveryNames = {
  names: {
    pending: "Pendente",
    sending: "Enviando",
    accepted: "Aceito pelo servidor",
    sent: "Enviado",
    delivered: "Entregue",
    read: "Lido",
    error: "Erro",
    uncertain: "A verificar",
    skipped: "Ignorado",
  },
  leftOut: {
    duplicate: "repetido",
    cancelled: "cancelado",
    ignored: "por você",
    opted_out: "saiu",
    asked_to_leave: "talvez queira sair",
    arrived: "já recebeu",
    excluded_list: "em lista deixada de fora",
    got_campaign: "já tem outra campanha",
    in_conversation: "em conversa",
    never_answers: "não responde",
    weekly_limit: "limite da semana",
    known_absent: "sem WhatsApp",
    land_line: "telefone fixo",
    missing_value: "faltou um valor",
    erased: "apagada a pedido",
  },
};

export const ENGLISH_DELIVERIES: DeliveryNames = {
  names: {
    pending: "Pending",
    sending: "Sending",
    accepted: "Accepted by the server",
    sent: "Sent",
    delivered: "Delivered",
    read: "Read",
    error: "Error",
    uncertain: "Unconfirmed",
    skipped: "Skipped",
  },
  leftOut: {
    duplicate: "duplicate",
    cancelled: "cancelled",
    ignored: "by you",
    opted_out: "opted out",
    asked_to_leave: "may want to leave",
    arrived: "already got it",
    excluded_list: "in a list left out",
    got_campaign: "has another campaign",
    in_conversation: "in conversation",
    never_answers: "does not answer",
    weekly_limit: "limit of the week",
    known_absent: "not on WhatsApp",
    land_line: "land line",
    missing_value: "lacked a value",
    erased: "erased on request",
  },
};

/** Skipped people get the reason: `Ignorado (repetido)` (decision 7). */
export function deliveryNamesIn({ names, leftOut }: DeliveryNames) {
  return (status: ShownDelivery, reason: string | null): string => {
    const why =
      status === "skipped" && reason !== null && isFailureReason(reason) ? leftOut[reason] : undefined;
    return why ? `${names[status]} (${why})` : names[status];
  };
}
