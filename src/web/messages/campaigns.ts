import type { CampaignStatus } from "../../domain/campaign.ts";
import { counted, formatNumber } from "../format.ts";

const status: Record<CampaignStatus, string> = {
  draft: "Rascunho",
  scheduled: "Agendada",
  sending: "Em Andamento",
  paused: "Pausada",
  completed: "Concluída",
  partially_completed: "Concluída com falhas",
  failed: "Falhou",
  cancelled: "Cancelada",
};

const people = (count: number) => counted(count, "pessoa", "pessoas");

const kept = (sent: number) => {
  if (sent === 0) return "";
  return sent === 1
    ? "A mensagem já enviada continua no histórico. "
    : `As ${formatNumber(sent)} mensagens já enviadas continuam no histórico. `;
};

/** The list of campaigns: what its cards say and what can be done with them. */
export const campaignsText = {
  title: "Campanhas",
  none: "Nenhuma ainda",
  count: (count: string) => `${count} campanhas`,
  one: "1 campanha",
  create: "Nova Campanha",
  search: "Buscar campanhas",
  searchPlaceholder: "Buscar campanhas...",
  filter: "Status",
  all: "Todos",
  status,
  cards: "Campanhas",
  more: "Carregar mais campanhas",
  empty: "Nenhuma campanha encontrada",
  emptyText: "Escreva a primeira mensagem, escolha uma lista de contatos e acompanhe daqui cada envio.",
  importContacts: "Importar contatos",
  notFound: (term: string) => `Nenhum nome ou texto de campanha contém «${term}».`,
  notFoundStatus: (status: string) => `Nenhuma campanha está com o status «${status}».`,
  notFoundBoth: (term: string, status: string) =>
    `Nenhuma campanha com o status «${status}» tem «${term}» no nome ou no texto.`,
  showAll: "Ver todas",
  listFailed: "Erro ao buscar campanhas",
  withImage: "Com Imagem",
  textOnly: "Apenas Texto",
  noText: "Sem texto ainda",
  defaultConnection: "Conexão padrão",
  savedAt: (when: string) => `Salvo em ${when}`,
  scheduledFor: (when: string, zone: string) => `${when}, ${zone}`,
  late: "Iniciada com atraso",
  resend: "Reenvio de falhas",
  total: "Total",
  sent: "Enviados",
  read: "Lidos",
  errors: "Erros",
  figures: (name: string) => `Números de ${name}`,
  progress: (name: string) => `Envio de ${name}`,
  preparing: "Preparando a lista de envios",
  perMinute: (count: string) => `${count} mensagens por minuto`,
  onePerMinute: "1 mensagem por minuto",
  everyTime: (duration: string) => `1 mensagem a cada ${duration}`,
  paceUnknown: "Medindo o ritmo",
  endsAt: (when: string) => `Termina ${when}`,
  details: "Ver Detalhes",
  pause: "Pausar",
  resume: "Continuar",
  cancelSending: "Cancelar envio",
  reuse: "Reutilizar",
  continueDraft: "Continuar",
  edit: "Editar",
  deleteDraft: "Excluir rascunho",
  confirm: "Confirmar",
  seeConnection: "Ver conexão",
  resendFailures: (count: string) => `Reenviar falhas (${count})`,
  uncertain: (count: string) => `${count} a verificar`,
  moreActions: (name: string) => `Mais ações de ${name}`,
  failures: (count: string) => `${count} falhas de envio`,
  oneFailure: "1 falha de envio",
  firstFailures: (shown: string, total: string) => `As ${shown} primeiras de ${total} falhas de envio`,
  copyAll: "copiar todas",
  failureLines: (name: string) => `Falhas de envio de ${name}`,
  failed: {
    pause: "Não foi possível pausar a campanha",
    resume: "Não foi possível continuar a campanha",
    cancel: "Não foi possível cancelar o envio",
    confirm: "Não foi possível confirmar o envio",
    delete: "Não foi possível excluir o rascunho",
    resend: "Não foi possível reenviar as falhas",
    copy: "Não foi possível buscar as falhas",
  },
  done: {
    pause: (name: string) => `${name}: envio pausado`,
    resume: (name: string) => `${name}: o envio continua`,
    cancel: (name: string) => `${name}: envio cancelado`,
    confirm: (name: string) => `${name}: o envio começou`,
    delete: (name: string) => `Rascunho ${name} excluído`,
    resend: (name: string) => `${name} criada: o envio começa agora`,
  },
  back: "Voltar",
  ask: {
    cancel: (name: string) => `Cancelar o envio de ${name}?`,
    cancelStarted: (remaining: number, sent: number) =>
      `${people(remaining)} ${remaining === 1 ? "não recebe" : "não recebem"} a mensagem. ${kept(sent)}Um envio cancelado não pode ser retomado.`,
    cancelScheduled: (count: number, when: string) =>
      `O envio para ${people(count)}, marcado para ${when}, não acontece. Você pode reutilizar a campanha depois.`,
    cancelNothing: "Ninguém recebeu esta mensagem ainda. Você pode reutilizar a campanha depois.",
    delete: (name: string) => `Excluir o rascunho ${name}?`,
    deleteText: "O texto, a imagem e as escolhas deste rascunho se perdem. A lista de contatos continua.",
    deleteVerb: "Excluir",
    resend: (count: number) => `Reenviar para ${people(count)}?`,
    resendText: (name: string) =>
      `Uma nova campanha, ligada a ${name}, envia a mesma mensagem só para quem ficou com Erro. Quem está em A verificar não entra.`,
    resendVerb: "Reenviar",
    confirm: (name: string) => `Enviar ${name} agora?`,
    confirmText: (count: number) => `O envio para ${people(count)} começa assim que você confirmar.`,
    confirmVerb: "Enviar agora",
  },
};
