import { counted, plural } from "./format.ts";

export const connectionsText = {
  list: {
    title: "Conexões WhatsApp",
    updated: (time: string) => `Atualizado às ${time}`,
    refresh: "Atualizar",
    connect: "Conectar WhatsApp",
    failed: "Erro ao buscar conexões",
    label: "Conexões",
    unnamed: "Sem nome",
    isDefault: "Padrão",
    instance: "Instância da Evolution",
    actions: (name: string) => `Ações de ${name}`,
    empty: "Nenhuma conexão encontrada",
    emptyText: "Conecte o número de onde as mensagens vão sair. Leva um minuto, com o celular na mão.",
    showQr: "Mostrar QR Code",
    disconnect: "Desconectar",
    reconnect: "Reconectar",
    makeDefault: "Tornar padrão",
    assistant: "Assistente",
    remove: "Excluir",
    madeDefault: (name: string) => `${name} é a conexão padrão`,
    makeDefaultFailed: "Não foi possível tornar padrão",
    reconnectFailed: "Erro ao reconectar",
    gone: (name: string) => `${name} não existe mais: foi excluída.`,
  },
  states: {
    connected: "Conectado",
    disconnected: "Desconectado",
    pending: "Aguardando conexão",
    connecting: "Conectando",
    reconnecting: "Reconectando",
    ending: "Desconectando",
    banned: "Banido",
    tempBanned: "Suspenso",
    replaced: "Em uso em outro lugar",
    refused: "Envio recusado",
    restricted: "Restrito",
  },
  notes: {
    idle: "Nenhum envio agora",
    sending: (count: number) => `Enviando ${counted(count, "campanha", "campanhas")}`,
    scheduled: (count: number) => counted(count, "campanha agendada", "campanhas agendadas"),
    waits: (count: number) => (count === 1 ? "1\u00a0campanha espera." : `${count}\u00a0campanhas esperam.`),
    raw: "Estado informado pelo servidor",
    newChats: (left: number, until: string) =>
      left === 0
        ? `Nenhuma conversa nova até ${until}: o WhatsApp já contou todas as deste período`
        : `${plural(left, "Resta", "Restam")} ${counted(left, "conversa nova", "conversas novas")} até ${until}`,
  },
  causes: {
    network: (since: string) =>
      `Sem contato com o WhatsApp desde ${since.replace(/^(às|em) /, "")}. Tentamos de novo automaticamente.`,
    logged_out: () => "A sessão foi encerrada no celular. Reconecte com um novo QR Code.",
    ended_there: () => "A sessão foi encerrada no servidor da instância. Reconecte com um novo QR Code.",
    banned: () => "O WhatsApp bloqueou este número. Só o WhatsApp pode liberá-lo.",
    temp_banned: (_since: string, until: string | null) =>
      until
        ? `O WhatsApp suspendeu este número até ${until}. Depois disso, reconecte-o.`
        : "O WhatsApp suspendeu este número por um tempo. Quando o celular o liberar, reconecte-o.",
    replaced: () => "Esta sessão foi aberta em outro lugar. Reconecte para usá-la aqui.",
    key_lost: () =>
      "O servidor perdeu a chave que abria esta sessão. No celular, remova o aparelho antigo e reconecte com um novo QR Code.",
    qr_expired: () => "Os códigos expiraram sem leitura. Reconecte para gerar outro.",
    timelocked: (_since: string, until: string | null) =>
      `${until ? `Novas conversas bloqueadas até ${until}` : "Novas conversas bloqueadas pelo WhatsApp"}. As conversas que já existem continuam; as novas esperam e saem sozinhas depois.`,
    backlog_unread: () =>
      "O servidor da instância não entrega o que pode ter sido escrito enquanto ela esteve fora. As campanhas esperam por isso, no máximo dez minutos, para não escrever a quem pediu para sair.",
    new_chats_refused: (_since: string, until: string | null) =>
      `O WhatsApp recusa novas conversas e não diz até quando. As conversas que já existem continuam; as novas esperam${until ? ` até ${until}, quando tentamos de novo` : ""}. Veja no celular se há um aviso do WhatsApp e, enquanto isso, não comece conversas novas com este número.`,
    replies_refused: (_since: string, until: string | null) =>
      `O WhatsApp recusa as mensagens deste número, até em conversas que já existem. Nada sai${until ? ` até ${until}, quando tentamos de novo` : ", e tentamos de novo automaticamente"}. Veja no celular se há um aviso do WhatsApp e, enquanto isso, não envie por este número.`,
    catching_up: () =>
      "As últimas mensagens recebidas ainda estão sendo lidas. As campanhas continuam em seguida, sem quem pediu para sair.",
    rate_limited: () => "Este número recebeu um pedido de pausa. O envio continua sozinho depois da pausa.",
    not_sending: () =>
      "Nenhuma mensagem está saindo por este número. Ninguém fica com erro por isso: tentamos de novo automaticamente.",
    client_outdated: () => "O WhatsApp exige uma versão mais nova. Atualize o Recado.",
    pairing_refused: () => "O WhatsApp recusou o código de pareamento. Use o QR Code.",
    restored: () => "Restaurada de uma cópia. Volta quando o administrador liberar a instalação.",
    disconnected_by_user: (since: string) => `Desconectado por você ${since}`,
    ending: () =>
      "O servidor da instância não confirmou a desconexão: o número pode continuar conectado lá. Tentamos de novo automaticamente.",
    other_number: () =>
      "Outro celular leu o código: as mensagens saem do número dele. Se foi engano, desconecte.",
    devices_refused: () =>
      "O WhatsApp recusa as mensagens deste número, seja para quem for. Ninguém fica com erro por isso: tentamos de novo automaticamente. Se continuar, desconecte e leia um novo QR Code.",
    upload_failed: () =>
      "Os arquivos não estão chegando ao WhatsApp. Ninguém fica com erro por isso: as mensagens sem arquivo continuam, e tentamos enviar as outras de novo automaticamente. Se continuar, confira se a rede do servidor deixa passar whatsapp.net.",
    untrusted_server: () => "A conexão com o WhatsApp não é segura nesta rede. Confira proxy e antivírus.",
    license_required: () =>
      "A licença deste servidor ainda não foi ativada. Quem cuida dele precisa ativá-la; depois a instância volta sozinha.",
    offline_loop: () =>
      "A instância cai e volta sem parar: o servidor dela não alcança o WhatsApp, ou outro programa usa a mesma sessão. Confira a internet e o DNS do servidor; se continuar, reinicie-o.",
    unreachable: (since: string) =>
      `O servidor da instância não responde desde ${since.replace(/^(às|em) /, "")}. Tentamos de novo automaticamente.`,
    server_errors: () =>
      "O servidor da instância responde com erros. Tentamos de novo automaticamente; se continuar, veja se o banco de dados dele está no ar.",
    wrong_key: () =>
      "O servidor recusou a chave de API. Confira a chave em Evolution; se o administrador fornece este servidor, avise-o.",
    gone: () =>
      "Esta instância não existe mais no servidor. Exclua-a aqui ou crie-a de novo lá, com o mesmo nome.",
    withdrawn: () =>
      "O administrador retirou o servidor desta instância: ela não recebe mais comandos, e o número pode continuar conectado lá.",
  } as Record<string, (since: string, until: string | null) => string>,
};
