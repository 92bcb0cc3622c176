import type { NoLastDay } from "../../domain/campaign-calendar.ts";
import { counted, formatNumber } from "./format.ts";
import { localeText } from "./locale.ts";

const list = new Intl.ListFormat(localeText.locale);

const why: Record<NoLastDay, string> = {
  never_opens: "o plano do número não abre em nenhum dia",
  no_budget: "o plano do número não permite conversas novas",
  too_far: "vai além do que se pode prever",
  paused: "pausada",
  no_connection: "nenhuma conexão pode enviar",
  audience_gone: "a lista ou o público não existe mais",
  unknown_pace: "sem intervalo entre mensagens, o ritmo só se conhece durante o envio",
};

const people = (count: number) => counted(count, "pessoa", "pessoas");

export const calendarText = {
  title: "Calendário de campanhas",
  open: "Calendário",
  campaigns: "Ver campanhas",
  create: "Nova Campanha",
  none: "Nenhuma no mês",
  fact: (all: number, scheduled: number) =>
    `${counted(all, "campanha", "campanhas")} no mês${scheduled === 0 ? "" : `, ${counted(scheduled, "agendada", "agendadas")}`}`,
  failed: "Não foi possível carregar o calendário",
  months: "Escolher o mês",
  previous: "Mês anterior",
  next: "Mês seguinte",
  now: "Hoje",
  weeks: (month: string) => `Semanas de ${month}`,
  days: (month: string) => `Dias de ${month}`,
  weekdays: ["domingo", "segunda", "terça", "quarta", "quinta", "sexta", "sábado"],
  today: "hoje",
  holiday: "feriado",
  empty: (month: string) => `Nenhuma campanha em ${month}.`,
  emptyAhead: "Nada previsto daqui até o fim do mês.",
  past: "Mostrar os dias passados",
  more: (count: number) => `+${formatNumber(count)}`,
  moreSaid: (count: number) => `Mostrar mais ${counted(count, "campanha", "campanhas")} desta semana`,
  fewer: "Mostrar menos",
  messages: (count: number) => counted(count, "mensagem", "mensagens"),
  cut: "Há mais campanhas do que cabem aqui: aparecem as mais próximas.",
  people,
  clash: "em conflito",
  fromTo: (from: string, to: string) => `de ${from} a ${to}`,
  since: (from: string) => `desde ${from}, sem fim previsto`,
  endless: "Sem fim previsto",
  why,
  legend: {
    over: "Concluída ou encerrada",
    sending: "Em Andamento",
    scheduled: "Agendada",
    paused: "Pausada",
    clash: "Em conflito",
    marks: (names: readonly string[]) => `Traços no pé do dia: carga de ${list.format(names)}`,
  },
  conflicts: {
    title: "Conflitos",
    none: "Nenhum conflito à vista.",
    when: (from: string, to: string, name: string) =>
      from === to ? `${from}, ${name}` : `${from} a ${to}, ${name}`,
    shared: (names: readonly string[]) => `${list.format(names)} dividem este número.`,
    later: (name: string, alone: string, together: string) =>
      `Sozinha, ${name} terminaria em ${alone}; assim vai até ${together}.`,
    same: (name: string, day: string) => `${name} termina em ${day} mesmo assim.`,
    endless: (name: string) => `${name} não termina no tempo que se pode prever.`,
    change: (name: string) => `Mudar ${name}`,
    see: (name: string) => `Ver ${name}`,
    often: (count: number) => `${people(count)}, 3 campanhas ou mais em 7 dias`,
    oftenDays: (from: string, to: string) => (from === to ? `Em ${from}.` : `De ${from} a ${to}.`),
    keptOut: (limit: number) =>
      `Pelo limite de ${counted(limit, "campanha", "campanhas")} por semana, ficam de fora da última.`,
    limit: "Limitar por semana",
    counted:
      "Contam o que chegou nos últimos 7 dias, quem espera em campanhas em andamento ou pausadas e o público das agendadas.",
    tooMany: "Há gente demais para contar quem recebe 3 campanhas ou mais em 7 dias.",
  },
  loads: {
    title: "Carga por número",
    none: "Nenhum envio neste mês.",
    noPlan: "sem plano",
    within: "dentro do limite",
    over: (days: number) => `${counted(days, "dia", "dias")} acima do limite`,
    past: "Passado",
    predicted: "Previsto",
    overKey: "Acima do limite",
    sent: (count: number) => counted(count, "enviada", "enviadas"),
    expected: (count: number) => counted(count, "mensagem prevista", "mensagens previstas"),
    cold: (count: number, budget: number) =>
      `${counted(count, "conversa nova", "conversas novas")} de ${formatNumber(budget)}`,
    wanted: (count: number) => `pedidas ${formatNumber(count)}`,
  },
};
