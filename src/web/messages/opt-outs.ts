import { formatNumber } from "./format.ts";

export const optOutsText = {
  open: (count: number) => (count === 0 ? "Descadastrados" : `Descadastrados (${formatNumber(count)})`),
  title: "Quem não quer receber campanhas",
  context:
    "Quem responde só SAIR, PARAR, CANCELAR ou STOP, ou pede o mesmo sem deixar dúvida, entra aqui sozinho e recebe uma confirmação. Quem parece pedir o mesmo com outras palavras espera a sua decisão. As campanhas pulam todos.",
  badge: "Não quer campanhas",
  search: "Buscar descadastrados",
  searchPlaceholder: "Buscar por nome ou telefone...",
  list: "Pessoas que não querem receber campanhas",
  failed: "Erro ao buscar descadastrados",
  replied: (text: string, connection: string | null) =>
    connection === null ? `Respondeu «${text}»` : `Respondeu «${text}» a ${connection}`,
  manual: "Adicionado à mão",
  noName: "Sem nome",
  allow: "Permitir de novo",
  allowLabel: (who: string) => `Permitir de novo: ${who}`,
  allowed: (who: string) => `${who} pode receber campanhas de novo`,
  restored: (who: string) => `${who} continua sem receber campanhas`,
  allowFailed: "Não foi possível alterar.",
  leftAgain: (who: string) =>
    `${who} saiu de novo depois que você abriu a lista. Veja abaixo quando e como, e decida outra vez.`,
  none: "Ninguém pediu para sair.",
  nothing: (term: string) => `Nada encontrado para «${term}».`,
  phone: "Não enviar campanhas para",
  phoneHint: "Com DDD: 31 90234-1187.",
  phoneRequired: "Informe o telefone.",
  add: "Adicionar",
  adding: "Adicionando...",
  addFailed: "Não foi possível adicionar.",
  added: (phone: string) => `${phone} não recebe mais campanhas`,
};
