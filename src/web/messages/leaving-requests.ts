import { formatNumber } from "./format.ts";

export const leavingRequestsText = {
  title: "Quer sair?",
  all: "Querem sair?",
  open: (count: number) => `Querem sair? (${formatNumber(count)})`,
  wrote: (text: string) => `Escreveu «${text}».`,
  until: "Fica fora das campanhas até você decidir.",
  section:
    "O que estas pessoas escreveram parece um pedido para sair. Elas ficam fora das campanhas até você decidir e não receberam nenhum aviso.",
  list: "Pessoas que talvez queiram sair",
  more: (shown: number, total: number) => `As ${shown} mais recentes de ${formatNumber(total)}.`,
  leaves: "Descadastrar",
  stays: "Não, continua recebendo",
  leavesLabel: (who: string) => `Descadastrar: ${who}`,
  staysLabel: (who: string) => `Não, continua recebendo: ${who}`,
  left: (who: string) => `${who} não recebe mais campanhas`,
  stayed: (who: string) => `${who} continua recebendo campanhas`,
  undone: (who: string) => `${who} fica fora das campanhas até você decidir`,
  failed: "Não foi possível decidir.",
  badge: "Talvez queira sair",
};
