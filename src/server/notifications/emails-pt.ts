import { type EmailWords, listed } from "./email-words.ts";

const goesOn = (hindered: boolean) => (hindered ? "assim que for possível" : "quando a conexão voltar");

export const PORTUGUESE: EmailWords = {
  greeting: (name) => (name === "" ? "Olá." : `Olá, ${name}.`),
  nameless: "sem nome",
  open: "Abra no Recado:",
  why: "Você recebe este aviso porque ele está ligado em Configurações, Notificações. Lá você pode desligá-lo.",
  test: (at) => ({
    subject: "Mensagem de teste do Recado",
    lines: [
      `Esta é a mensagem de teste pedida em ${at}.`,
      "Se você a recebeu, os avisos por e-mail funcionam.",
    ],
  }),
  passwordChanged: ({ at, ended, living }) => ({
    subject: "A senha da sua conta foi trocada",
    lines: [
      `A senha da sua conta no Recado foi trocada em ${at}. As outras sessões foram encerradas.`,
      ...listed("Deixaram de funcionar:", ended),
      ...listed("Continuam ligados à conta. Confira se são seus:", living),
      "Se não foi você, fale com o administrador do servidor: ele pode definir outra senha.",
    ],
  }),
  resetAsked: ({ at, until }) => ({
    subject: "Uma nova senha para a sua conta",
    lines: [
      `Em ${at}, alguém pediu uma nova senha para a sua conta no Recado. Se foi você, defina-a pelo link abaixo. Ele vale até ${until}, e só uma vez.`,
      "Se não foi você, não faça nada: a sua senha continua a mesma.",
    ],
  }),
  resetLink: "Definir a nova senha:",
  confirmAsked: ({ until }) => ({
    subject: "Confirme o seu e-mail",
    lines: [
      `Uma conta no Recado usa este e-mail. Se ela é sua, confirme o endereço pelo link abaixo. Ele vale até ${until}, e só uma vez.`,
      "Se não é sua, não faça nada: sem a confirmação, nenhum aviso é enviado a este endereço.",
    ],
  }),
  changeAsked: ({ at, until }) => ({
    subject: "Confirme o seu novo e-mail",
    lines: [
      `Em ${at}, alguém pediu que este endereço passe a ser o e-mail da sua conta no Recado. Se foi você, confirme pelo link abaixo. Ele vale até ${until}, e só uma vez.`,
      "Se não foi você, não faça nada: sem a confirmação, nada muda.",
    ],
  }),
  confirmLink: "Confirmar o e-mail:",
  wrongPasswords: (at) => ({
    subject: "Muitas senhas erradas na sua conta",
    lines: [
      `Até ${at}, houve muitas tentativas de entrar na sua conta no Recado com senhas erradas, em navegadores que ela não conhece. Nenhuma delas entrou.`,
      "Cada nova tentativa espera mais, até um minuto. O navegador em que você já entrou não espera, e «Esqueci minha senha» abre um caminho em qualquer outro.",
    ],
  }),
  access: {
    key: (name, prefix) => `chave de API «${name}» (${prefix}…)`,
    relay: (name, host) => `endereço que recebe as mensagens da instância «${name}» (${host})`,
    gateway: (name, host) => `servidor Evolution «${name}» (${host})`,
    mistral: (hint) => `chave da Mistral que termina em ${hint}`,
    more: (n) => `e mais ${n}`,
  },
  signUpAsked: (at) => ({
    subject: "Você já tem uma conta no Recado",
    lines: [
      `Em ${at}, alguém tentou criar uma conta no Recado com este e-mail, que já tem uma. Nada mudou nela.`,
      "Se foi você, entre com a sua senha, ou peça uma nova em «Esqueci minha senha». Se não foi, não faça nada.",
    ],
  }),
  emailChanged: (at) => ({
    subject: "O e-mail da sua conta foi trocado",
    lines: [
      `Este endereço era o e-mail da sua conta no Recado. Em ${at}, outro tomou o lugar dele.`,
      "Se não foi você, fale com o administrador do servidor.",
    ],
  }),
  newBrowser: ({ at, browser, address }) => ({
    subject: "Nova entrada na sua conta",
    lines: [
      `Alguém entrou na sua conta no Recado em ${at}, com um navegador que a conta ainda não usava${browser && ` (${browser})`}, do endereço ${address}.`,
      "Se foi você, está tudo certo. Se não foi, troque a sua senha: as outras sessões terminam com isso.",
    ],
  }),
  keyCreated: ({ name, at }) => ({
    subject: "Uma chave de API foi criada",
    lines: [
      `A chave de API «${name}» foi criada na sua conta em ${at}.`,
      "Se não foi você, revogue a chave em Configurações, Chaves de API, e troque a sua senha.",
    ],
  }),
  campaignEnded: ({ name, at, counts, end }) => ({
    subject: {
      completed: `Campanha «${name}» concluída`,
      partially_completed: `Campanha «${name}» concluída com falhas`,
      failed: `Campanha «${name}» falhou`,
    }[end],
    lines: [
      `A campanha «${name}» terminou em ${at}.`,
      [
        `Total: ${counts.total}`,
        `Enviados: ${counts.sent}`,
        `Erros: ${counts.error}`,
        `A verificar: ${counts.uncertain}`,
        ...(counts.accepted === "0" ? [] : [`Aceitos pelo servidor: ${counts.accepted}`]),
        `Ignorados: ${counts.skipped}`,
      ].join("\n"),
      {
        completed: "São os números deste momento. Entregas e leituras continuam a chegar.",
        partially_completed:
          "São os números deste momento: o que está a verificar ainda pode se resolver sozinho. Os motivos estão nos detalhes da campanha.",
        failed: "Nenhuma mensagem foi enviada. Os motivos estão nos detalhes da campanha.",
      }[end],
    ],
  }),
  campaignPaused: ({ name, at, cause, left }) => ({
    subject: `Campanha «${name}» parada`,
    lines: [`A campanha «${name}» parou em ${at}. ${cause}`, ...(left === null ? [] : [`Faltam: ${left}.`])],
  }),
  connectionDown: ({ name, since, cause, campaigns, hindered }) => ({
    subject: `A conexão ${name} precisa de atenção`,
    lines: [
      `A conexão ${name} ${cause} (desde ${since}).`,
      ...(campaigns === 0
        ? []
        : [
            campaigns === 1
              ? `Uma campanha espera por ela e continua sozinha ${goesOn(hindered)}.`
              : `${campaigns} campanhas esperam por ela e continuam sozinhas ${goesOn(hindered)}.`,
          ]),
    ],
  }),
  stopped: {
    breaker_refused:
      "O WhatsApp recusou mensagens demais, e o envio parou antes que o número seja bloqueado. Veja na campanha quem são e diga por que continuar.",
    breaker_absent:
      "Números demais não têm WhatsApp, e o envio parou antes que o número seja bloqueado. Veja na campanha quem são e diga por que continuar.",
    breaker_leaving:
      "Pessoas demais pediram para sair, e o envio parou antes que o número seja denunciado. Veja na campanha quem são e diga por que continuar.",
    breaker_undelivered:
      "Mensagens demais não foram entregues, e o envio parou antes que o número seja bloqueado. Veja na campanha quem são e diga por que continuar.",
    number_banned:
      "O WhatsApp bloqueou o número, e todos os envios dele pararam. Veja o aviso no celular antes de continuar.",
    number_logged_out:
      "O número foi desconectado pelo WhatsApp ou no celular, e todos os envios dele pararam. Reconecte-o antes de continuar.",
    number_locked_again:
      "O WhatsApp bloqueou novas conversas do número pela segunda vez em 30 dias, e todos os envios dele pararam. Reveja público, texto e ritmo antes de continuar.",
    unconfirmed:
      "O servidor Evolution aceitou mensagens, e o WhatsApp não confirma que as tem. Confira o número no celular antes de continuar; uma confirmação que chegar depois ainda conta.",
    limit:
      "A conta chegou ao limite de mensagens deste mês. Quando o mês virar ou o administrador aumentar o limite, abra a campanha e continue o envio.",
    no_default_connection: "Nenhuma conexão padrão. Torne uma conexão padrão e continue o envio.",
    audience_gone: "Uma lista, um segmento ou uma campanha do público foi excluída.",
    list_empty: "A lista de contatos ficou vazia ou foi excluída.",
    deliveries_full:
      "A conta chegou ao limite de envios guardados. Ninguém recebeu nada. Exclua campanhas antigas ou fale com quem administra a instalação, e continue o envio.",
    start_failed: "O envio não pôde começar por uma falha do servidor. Ninguém recebeu nada.",
    missed: "A hora marcada passou enquanto o servidor estava desligado. Nada foi enviado: confirme o envio.",
    restored: "Os dados foram restaurados de uma cópia. Confira antes de continuar.",
    unknown: "Abra a campanha para ver o motivo.",
  },
  down: {
    logged_out: "foi desconectada no celular",
    ended_there: "foi desconectada no servidor da instância",
    banned: "teve o número bloqueado pelo WhatsApp",
    temp_banned: "teve o número suspenso pelo WhatsApp por um tempo",
    replaced: "passou a ser usada em outro lugar",
    key_lost: "perdeu a sua sessão com a chave secreta do servidor",
    client_outdated: "não é mais aceita pelo WhatsApp nesta versão do Recado",
    timelocked: "teve novas conversas bloqueadas pelo WhatsApp",
    new_chats_refused: "tem novas conversas recusadas pelo WhatsApp",
    replies_refused: "tem as mensagens recusadas pelo WhatsApp, até em conversas que já existem",
    devices_refused: "tem as mensagens recusadas pelo WhatsApp",
    backlog_unread: "não recebe do seu servidor o que pode ter sido escrito enquanto esteve fora",
    catching_up: "ainda lê as últimas mensagens que chegaram",
    rate_limited: "recebeu um pedido de pausa",
    not_sending: "não consegue enviar nenhuma mensagem",
    upload_failed: "não consegue levar os arquivos ao WhatsApp",
    untrusted_server: "não alcança o WhatsApp com segurança na rede do servidor",
    unreachable: "está sem o seu servidor, que não responde",
    server_errors: "está sem o seu servidor, que responde com erros",
    wrong_key: "teve a chave de API recusada pelo seu servidor",
    license_required: "espera pela licença do seu servidor, que ainda não foi ativada",
    offline_loop: "cai e volta sem parar",
    gone: "não existe mais no seu servidor",
    withdrawn: "ficou sem servidor: o administrador o retirou",
    network: "caiu",
    unknown: "está fora do ar",
  },
  news: {
    marketing: "Você recebe esta mensagem porque pediu ofertas em Configurações, Notificações.",
    product: "Você recebe esta mensagem porque pediu novidades do produto em Configurações, Notificações.",
  },
  unsubscribe: "Para não receber mais:",
};
