import { counted } from "./format.ts";

const unread = (count: number) => counted(count, "mensagem não lida", "mensagens não lidas");

export const shellText = {
  main: "Principal",
  menu: "Menu",
  openMenu: "Abrir menu",
  openMenuUnread: (count: number) => `Abrir menu, ${unread(count)}`,
  unread,
  search: "Busca rápida",
  dashboard: "Dashboard",
  contacts: "Contatos",
  connections: "Conexões",
  connect: "Conectar WhatsApp",
  campaigns: "Campanhas",
  more: "Mais",
  chat: "Chat",
  library: "Mensagens",
  instances: "Evolution",
  agents: "Meus Robôs",
  settings: "Configurações",
  logout: "Sair",
  logoutFailed: "Não foi possível sair. Tente de novo.",
  unsent: {
    question: "Sair sem enviar?",
    lost: "O que você escreveu no chat e ainda não enviou se perde.",
    verb: "Sair sem enviar",
    back: "Continuar aqui",
    failed: "Não foi possível sair.",
  },
  keptLost: "A campanha que você começou a escrever e não salvou se perde.",
  account: "Menu da conta:",
  themes: { light: "Claro", dark: "Escuro", system: "Igual ao sistema" },
  running: (count: number, end: string | null) =>
    `${count} ${count === 1 ? "campanha" : "campanhas"} em andamento${end ? `, termina ${end}` : ""}`,
  runningMany: (count: number, end: string) => `${count} campanhas em andamento, terminam ${end}`,
  away: "Sem contato com o servidor. O que está na tela pode estar desatualizado.",
  offline: "Você está sem internet. O que está na tela pode estar desatualizado.",
  notFound: {
    title: "Página Não Encontrada",
    text: "O endereço pode ter mudado ou estar incompleto.",
    back: "Voltar ao Dashboard",
  },
  failed: "Não foi possível abrir esta tela",
  failedText: "Recarregue a página. Seus envios não são afetados: eles continuam no servidor.",
  failedOffline: "Ela abre sozinha quando a internet voltar.",
  reload: "Recarregar",
};
