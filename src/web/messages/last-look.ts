import { counted, formatNumber } from "./format.ts";

const duration = (minutes: number) =>
  minutes < 100 ? counted(minutes, "minuto", "minutos") : counted(Math.round(minutes / 60), "hora", "horas");

export const lastLookText = {
  title: "Conferir antes de criar",
  titleScheduled: "Conferir antes de agendar",
  receive: (count: number) => (count === 1 ? "pessoa recebe" : "pessoas recebem"),
  counting: "Contando...",
  uncounted: "Não foi possível contar as pessoas agora.",
  list: "Lista",
  audience: "Público",
  without: "Ficam de fora",
  withoutNone: "Ninguém fica de fora",
  names: "Ver nomes",
  landLines: (count: number) =>
    count === 1 ? "1 telefone fixo recebe." : `${formatNumber(count)} telefones fixos recebem.`,
  leaveOut: "Deixar de fora",
  unchecked: (count: number) =>
    count === 1
      ? "1 pessoa ainda não foi verificada no WhatsApp."
      : `${formatNumber(count)} pessoas ainda não foram verificadas no WhatsApp.`,
  check: "Verificar números",
  checkTime: (minutes: number) => `, cerca de ${duration(minutes)}.`,
  checkFailed: "Os números não foram verificados",
  checking: (count: number, minutes: number) =>
    `Verificando: ${count === 1 ? "falta 1 número" : `faltam ${formatNumber(count)} números`}, cerca de ${duration(minutes)}. Continua mesmo com a tela fechada.`,
  checkTooNew: (count: number) =>
    `${counted(count, "pessoa", "pessoas")} sem verificação no WhatsApp. Um número com menos de um dia aqui não verifica antes de enviar.`,
  checkTooMany: (count: number, most: number) =>
    `${formatNumber(count)} pessoas sem verificação no WhatsApp: são muitas para verificar antes (até ${formatNumber(most)}).`,
  risk: "O que o WhatsApp pode fazer",
  riskUnplanned:
    "Este número não tem plano: o Recado não limita as conversas novas por ele. Se o WhatsApp limitar conversas novas, elas esperam e quem já conversou continua recebendo.",
  riskNone: "Todas já conversaram com este número: um limite de conversas novas não para esta campanha.",
  riskCold: (count: number) =>
    count === 1
      ? "O WhatsApp pode limitar conversas novas: nesse caso a pessoa nova espera, e quem já conversou continua recebendo."
      : `O WhatsApp pode limitar conversas novas: nesse caso as ${formatNumber(count)} pessoas novas esperam, e quem já conversou continua recebendo.`,
  riskCanary: (people: number, percent: number, minutes: number) =>
    `As ${people} primeiras vão antes: se menos de ${percent}% chegarem em ${minutes} minutos, a campanha para e avisa você.`,
  undo: (seconds: number) =>
    `Depois de criar, há ${counted(seconds, "segundo", "segundos")} para desfazer. Nada sai antes disso.`,
  typeTotal: (total: string) => `Para confirmar, digite o total: ${total}`,
  wrongTotal: (total: string) => `Digite ${total}, o número de pessoas que recebem.`,
  number: "Número",
  noNumber: "Nenhuma conexão padrão",
  waits: "Não está enviando agora: o envio espera.",
  time: "Envio",
  perPerson: "Por pessoa",
  messagesEach: (count: number) => `${count} mensagens em sequência`,
  messages: (count: number) => (count > 1 ? `As ${count} primeiras mensagens` : "A primeira mensagem"),
  to: (name: string) => `Para ${name}`,
  back: "Voltar",
  schedule: "Agendar",
  literal: "Estes trechos saem como estão escritos:",
  literalMore: (count: number) => `e ${counted(count, "outro", "outros")}`,
  sendLiteral: "Enviar assim mesmo",
  confirmLiteral: "Marque para enviar assim, ou volte e troque os trechos.",
  found: "O Recado não conhece estes trechos: eles saem como estão escritos.",
  replace: (by: string) => `Trocar por ${by}`,
  replaceSaid: (found: string, by: string) => `Trocar por ${by}: ${found}`,
  remove: "Apagar",
  removeSaid: (found: string) => `Apagar: ${found}`,
  byHand: "Escreva o valor no lugar ou apague.",
};
