import { counted } from "./format.ts";

type Campaigns = { sending: number; paused: number; scheduled: number; names: readonly string[] };

export const leavingText = {
  disconnected: (name: string) => `${name} desconectada`,
  disconnecting: (name: string) => `${name} ainda não foi desconectada. Tentamos de novo automaticamente.`,
  removed: (name: string) => `${name} excluída`,
  disconnectFailed: "Erro ao desconectar",
  removeFailed: "Erro ao excluir conexão",
  disconnectQuestion: (name: string) => `Desconectar ${name}?`,
  disconnectLost: "Para usar este número de novo, será preciso ler um novo QR Code.",
  disconnectUntold:
    "Sem contato com o WhatsApp agora, o celular pode continuar a mostrar este aparelho em Dispositivos conectados: remova-o também lá.",
  removeQuestion: "Tem certeza que deseja excluir esta conexão?",
  removeLost: (name: string) =>
    `${name} sai da lista, com as conversas que estão aqui, e deixa de ser um dispositivo conectado no celular. As campanhas já enviadas continuam no histórico.`,
  removeUnreachedLost: (name: string) =>
    `${name} sai da lista, com as conversas que estão aqui. Sem contato com o WhatsApp agora, o celular pode continuar a mostrá-la em Dispositivos conectados: remova-a também lá. As campanhas já enviadas continuam no histórico.`,
  removeEndedLost: (name: string) =>
    `${name} sai da lista, com as conversas que estão aqui. Se o celular ainda a mostrar em Dispositivos conectados, remova-a também lá. As campanhas já enviadas continuam no histórico.`,
  removeUnlinkedLost: (name: string) =>
    `${name} sai da lista, com as conversas que estão aqui. As campanhas já enviadas continuam no histórico.`,
  removeWithdrawnLost: (name: string) =>
    `A instância ${name} sai do Recado, com as conversas que estão aqui. Nada muda no servidor, que o administrador retirou: o número pode continuar conectado lá. As campanhas já enviadas continuam no histórico.`,
  removeInstanceLost: (name: string) =>
    `A instância ${name} é excluída do servidor Evolution, com as mensagens que estão lá, e o número é desconectado. Se o servidor não responder, ou recusar, ela sai só do Recado e pode continuar conectada lá. As conversas dela saem do Recado; as campanhas já enviadas continuam no histórico.`,
  removeGoneLost: (name: string) =>
    `A instância ${name} sai do Recado, com as conversas que estão aqui; no servidor ela não existe mais. As campanhas já enviadas continuam no histórico.`,
  busyDisconnect: "Desconectando...",
  busyRemove: "Excluindo...",
  pauses: (campaigns: Campaigns) => pausing(campaigns),
};

const listed = (parts: readonly string[]) =>
  parts.length < 2 ? parts.join("") : `${parts.slice(0, -1).join(", ")} e ${parts.at(-1)}`;

function pausing({ sending, paused, scheduled, names }: Campaigns): string | null {
  const parts = [
    sending > 0 ? counted(sending, "campanha em andamento", "campanhas em andamento") : null,
    paused > 0 ? counted(paused, "campanha pausada", "campanhas pausadas") : null,
    scheduled > 0 ? counted(scheduled, "campanha agendada", "campanhas agendadas") : null,
  ].filter((part) => part !== null);
  if (parts.length === 0) return null;
  const all = sending + paused + scheduled;
  const stops = all === 1 ? "para de enviar" : "param de enviar";
  const others = all > names.length ? [`mais ${all - names.length}`] : [];
  const named = names.length > 0 ? `: ${listed([...names.map((name) => `«${name}»`), ...others])}` : "";
  return `${listed(parts)} por este número ${stops}${named}. Quem já recebeu continua no histórico.`;
}
