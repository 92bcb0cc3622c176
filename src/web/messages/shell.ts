import { inLanguage } from "./in-language.ts";

export const shellText = inLanguage({
  "pt-BR": {
    main: "Principal",
    menu: "Menu",
    openMenu: "Abrir menu",
    dashboard: "Dashboard",
    contacts: "Contatos",
    connections: "Conexões",
    connect: "Conectar WhatsApp",
    campaigns: "Campanhas",
    more: "Mais",
    chat: "Chat",
    instances: "Evolution",
    agents: "Meus Robôs",
    logout: "Sair",
    logoutFailed: "Não foi possível sair. Tente de novo.",
    theme: "Mudar tema",
    themes: { light: "Claro", dark: "Escuro", system: "Igual ao sistema" },
    running: (count: number, end: string | null) =>
      `${count} ${count === 1 ? "campanha" : "campanhas"} em andamento${end ? `, termina ${end}` : ""}`,
    runningMany: (count: number, end: string) => `${count} campanhas em andamento, terminam ${end}`,
    notFound: {
      title: "Página Não Encontrada",
      text: "O endereço pode ter mudado ou estar incompleto.",
      back: "Voltar ao Dashboard",
    },
    failed: "Não foi possível abrir esta tela",
    failedText: "Recarregue a página. Seus envios não são afetados: eles continuam no servidor.",
    reload: "Recarregar",
  },
});
