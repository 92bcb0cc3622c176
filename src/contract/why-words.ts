import type { ImportBasis } from "./import-drafts.ts";
import type { PersonOrigin } from "./people.ts";

type Origins = Readonly<Record<PersonOrigin["kind"], string>>;

/** «Por que recebi isto?»: what an account may answer to a person. `{name}` stands for a value. */
export type WhyWords = {
  title: string;
  fileName: string;
  dates: string;
  person: string;
  nameless: string;
  since: string;
  origins: Origins;
  file: string;
  row: string;
  by: string;
  bases: Readonly<Record<ImportBasis, string>>;
  lists: string;
  noLists: string;
  campaigns: string;
  noCampaigns: string;
  messages: string;
  olderCampaigns: string;
  lastReply: string;
  noReply: string;
  optOut: string;
  optOutWords: string;
  subscribed: string;
};

export const PORTUGUESE_WHY: WhyWords = {
  title: "Por que recebi isto?",
  fileName: "por-que-recebi-isto.html",
  dates: "pt-BR",
  person: "{name}, {phone}",
  nameless: "Número {phone}",
  since: "Contato desde {at}. Origem: {origin}.",
  origins: {
    file: "lista importada",
    hand: "cadastro feito por nós",
    chat: "conversa no WhatsApp",
    api: "cadastro por um sistema nosso",
    before: "cadastro anterior ao registro de origens",
  },
  file: "arquivo «{name}»",
  row: "linha {n}",
  by: "por {name}",
  bases: { asked: "pediu para receber", customer: "cliente", other: "outra base" },
  lists: "Listas: {names}.",
  noLists: "Não está em nenhuma lista.",
  campaigns: "Mensagens de campanhas: {n}.",
  noCampaigns: "Nenhuma mensagem de campanha.",
  messages: "{n} de {all} mensagens",
  olderCampaigns: "Campanhas mais antigas: {n}.",
  lastReply: "Última mensagem recebida deste número: {at}.",
  noReply: "Nenhuma mensagem recebida deste número.",
  optOut: "Não recebe mais campanhas desde {at}.",
  optOutWords: "Não recebe mais campanhas desde {at}, quando escreveu: «{text}»",
  subscribed: "Para não receber mais, basta responder SAIR.",
};

export const ENGLISH_WHY: WhyWords = {
  title: "Why did I get this?",
  fileName: "why-did-i-get-this.html",
  dates: "en-GB",
  person: "{name}, {phone}",
  nameless: "Number {phone}",
  since: "Contact since {at}. Origin: {origin}.",
  origins: {
    file: "imported list",
    hand: "entered by us",
    chat: "conversation on WhatsApp",
    api: "entered by a system of ours",
    before: "known before origins were recorded",
  },
  file: "file “{name}”",
  row: "line {n}",
  by: "by {name}",
  bases: { asked: "asked to receive", customer: "customer", other: "other basis" },
  lists: "Lists: {names}.",
  noLists: "In no list.",
  campaigns: "Campaign messages: {n}.",
  noCampaigns: "No campaign message.",
  messages: "{n} of {all} messages",
  olderCampaigns: "Older campaigns: {n}.",
  lastReply: "Last message received from this number: {at}.",
  noReply: "No message received from this number.",
  optOut: "Gets no more campaigns since {at}.",
  optOutWords: "Gets no more campaigns since {at}, when they wrote: “{text}”",
  subscribed: "To get no more, reply SAIR.",
};
