import { formatNumber } from "./format.ts";

type Cause = { fact: string; next: string };

/** `name`: connection; `since`: `às 15:52` or empty; `until`: `19/11/2026 18:00`. */
type CauseFacts = {
  name: string;
  since: string;
  until: string | null;
  accepted: number;
  breaker?: { judged: number; count: number; limit: number } | null;
};

const taken = (count: number) =>
  count === 1
    ? "O servidor aceitou 1 mensagem que o WhatsApp ainda não confirma."
    : `O servidor aceitou ${formatNumber(count)} mensagens que o WhatsApp ainda não confirma.`;

const share = (breaker: CauseFacts["breaker"]) =>
  !breaker ? "" : ` (${breaker.count} de ${breaker.judged}; o limite é ${breaker.limit}%)`;

const after = (text: string, since: string) => `${text}${since && ` ${since}`}.`;

const goesOn = "O envio continua sozinho quando ela voltar.";
const reconnect = "Reconecte em Conexões, e o envio continua sozinho.";

const down: Record<string, (facts: CauseFacts) => Cause> = {
  network: ({ name, since }) => ({ fact: after(`A conexão ${name} caiu`, since), next: goesOn }),
  logged_out: ({ name, since }) => ({
    fact: after(`A conexão ${name} foi desconectada no celular`, since),
    next: "Conecte o número de novo, e o envio continua sozinho.",
  }),
  ended_there: ({ name, since }) => ({
    fact: after(`A conexão ${name} foi desconectada no servidor da instância`, since),
    next: "Conecte o número de novo, e o envio continua sozinho.",
  }),
  ending: ({ name }) => ({ fact: `A conexão ${name} está sendo desconectada.`, next: reconnect }),
  disconnected_by_user: ({ name, since }) => ({
    fact: after(`A conexão ${name} foi desconectada`, since),
    next: reconnect,
  }),
  banned: ({ name }) => ({
    fact: `O WhatsApp bloqueou o número da conexão ${name}.`,
    next: "Veja o aviso no celular. O envio só continua se o bloqueio for desfeito.",
  }),
  temp_banned: ({ name, until }) => ({
    fact: `O WhatsApp suspendeu o número da conexão ${name}${until ? ` até ${until}` : " por um tempo"}.`,
    next: "Depois disso, reconecte em Conexões, e o envio continua sozinho.",
  }),
  replaced: ({ name, since }) => ({
    fact: after(`A conexão ${name} passou a ser usada em outro lugar`, since),
    next: reconnect,
  }),
  key_lost: ({ name }) => ({
    fact: `O servidor perdeu a chave que abria a sessão da conexão ${name}.`,
    next: "Conecte o número de novo, e o envio continua sozinho.",
  }),
  timelocked: ({ name, until }) => ({
    fact: `O WhatsApp bloqueou novas conversas da conexão ${name}${until ? ` até ${until}` : ""}.`,
    next: "Quem já conversa com este número continua recebendo; os outros esperam, e o envio a eles continua sozinho depois disso.",
  }),
  new_chats_refused: ({ name, until }) => ({
    fact: `O WhatsApp recusa novas conversas da conexão ${name} e não diz até quando.`,
    next: `Quem já conversa com este número continua recebendo; os outros esperam${until ? ` até ${until}, quando tentamos de novo` : ", e tentamos de novo automaticamente"}. Veja no celular se há um aviso do WhatsApp.`,
  }),
  replies_refused: ({ name, until }) => ({
    fact: `O WhatsApp recusa as mensagens da conexão ${name}, até em conversas que já existem.`,
    next: `Nada sai${until ? ` até ${until}, quando tentamos de novo` : ", e tentamos de novo automaticamente"}. Veja no celular se há um aviso do WhatsApp.`,
  }),
  devices_refused: ({ name }) => ({
    fact: `O WhatsApp recusa as mensagens da conexão ${name}.`,
    next: "Ninguém fica com erro por isso, e tentamos de novo automaticamente. Se continuar, veja em Conexões o que fazer.",
  }),
  upload_failed: ({ name }) => ({
    fact: `O arquivo não está chegando ao WhatsApp pela conexão ${name}.`,
    next: "Ninguém fica com erro por isso, e tentamos de novo automaticamente. Se continuar, veja em Conexões o que fazer.",
  }),
  backlog_unread: ({ name }) => ({
    fact: `O servidor da conexão ${name} não entrega o que pode ter sido escrito enquanto ela esteve fora.`,
    next: "O envio espera por isso, no máximo dez minutos, para não escrever a quem pediu para sair.",
  }),
  catching_up: () => ({
    fact: "As últimas mensagens que chegaram à conta ainda estão sendo lidas.",
    next: "O envio continua sozinho em seguida, sem quem pediu para sair.",
  }),
  rate_limited: ({ name }) => ({
    fact: `A conexão ${name} recebeu um pedido de pausa.`,
    next: "O envio continua sozinho depois da pausa.",
  }),
  not_sending: ({ name }) => ({
    fact: `Nenhuma mensagem está saindo pela conexão ${name}.`,
    next: "Ninguém fica com erro por isso, e tentamos de novo automaticamente.",
  }),
  qr_expired: ({ name }) => ({
    fact: `A conexão ${name} espera a leitura do QR Code.`,
    next: "Leia o código em Conexões, e o envio começa.",
  }),
  pairing_refused: ({ name }) => ({
    fact: `O WhatsApp recusou o pareamento da conexão ${name}.`,
    next: "Tente de novo em Conexões, e o envio começa.",
  }),
  client_outdated: ({ name }) => ({
    fact: `O WhatsApp não aceita mais esta versão na conexão ${name}.`,
    next: "Atualize o Recado, e o envio continua sozinho.",
  }),
  untrusted_server: ({ name }) => ({
    fact: `A conexão ${name} não alcança o WhatsApp com segurança nesta rede.`,
    next: "Confira proxy e antivírus do servidor. O envio continua sozinho quando ela voltar.",
  }),
  unreachable: ({ name, since }) => ({
    fact: after(`O servidor da conexão ${name} parou de responder`, since),
    next: goesOn,
  }),
  server_errors: ({ name, since }) => ({
    fact: after(`O servidor da conexão ${name} responde com erros`, since),
    next: goesOn,
  }),
  wrong_key: ({ name }) => ({
    fact: `O servidor da conexão ${name} recusou a chave de API.`,
    next: "Confira a chave em Evolution; se o administrador fornece o servidor, avise-o. Depois disso, o envio continua sozinho.",
  }),
  license_required: ({ name }) => ({
    fact: `A licença do servidor da conexão ${name} ainda não foi ativada.`,
    next: "O envio continua sozinho quando ela for ativada.",
  }),
  offline_loop: ({ name }) => ({
    fact: `A conexão ${name} cai e volta sem parar.`,
    next: "Veja em Conexões o que conferir. O envio continua sozinho quando ela se firmar.",
  }),
  gone: ({ name }) => ({
    fact: `A instância da conexão ${name} não existe mais no servidor.`,
    next: "Crie-a de novo lá, com o mesmo nome, ou cancele este envio e, com Reutilizar, escolha outra conexão.",
  }),
  withdrawn: ({ name }) => ({
    fact: `O administrador retirou o servidor da conexão ${name}.`,
    next: "Cancele este envio e, com Reutilizar, escolha outra conexão.",
  }),
  restored: ({ name }) => ({
    fact: `A conexão ${name} veio de uma cópia e ainda não foi liberada.`,
    next: "O envio continua sozinho quando o administrador liberar a instalação.",
  }),
  unknown: ({ name, since }) => ({
    fact: after(`A conexão ${name} está fora do ar`, since),
    next: goesOn,
  }),
};

const stopped: Record<string, (facts: CauseFacts) => Cause> = {
  user: ({ since }) => ({ fact: after("Envio pausado", since), next: "Continue quando quiser." }),
  no_default_connection: () => ({
    fact: "Nenhuma conexão padrão. Escolha uma conexão.",
    next: "Torne uma conexão padrão em Conexões e continue o envio.",
  }),
  connection_removed: ({ name }) => ({
    fact: `A conexão ${name} foi excluída.`,
    next: "Cancele este envio e, com Reutilizar, escolha outra conexão.",
  }),
  list_empty: () => ({
    fact: "A lista de contatos ficou vazia ou foi excluída.",
    next: "Cancele este envio e, com Reutilizar, escolha outra lista.",
  }),
  audience_gone: () => ({
    fact: "Uma lista, um segmento ou uma campanha do público foi excluída. Ninguém recebeu nada.",
    next: "Cancele este envio e, com Reutilizar, reveja o público.",
  }),
  start_failed: () => ({
    fact: "O envio não pôde começar por uma falha do servidor. Ninguém recebeu nada.",
    next: "Continue para tentar de novo; o registro do servidor diz a causa.",
  }),
  deliveries_full: () => ({
    fact: "Limite de envios guardados da conta atingido. Ninguém recebeu nada.",
    next: "Exclua campanhas antigas ou fale com quem administra esta instalação, e continue o envio.",
  }),
  banned: ({ name }) => ({
    fact: `O WhatsApp bloqueou o número da conexão ${name}.`,
    next: "O envio parou para não piorar o bloqueio. Continue quando o número voltar.",
  }),
  timelocked: ({ name, until }) => ({
    fact: `O WhatsApp bloqueou novas conversas da conexão ${name}${until ? ` até ${until}` : ""}.`,
    next: "Continue o envio depois disso.",
  }),
  unconfirmed: ({ name, accepted }) => ({
    fact: taken(accepted),
    next: `Confira no celular da conexão ${name} se elas saíram. Uma confirmação que chegar depois ainda conta.`,
  }),
  breaker_refused: ({ breaker }) => ({
    fact: `O WhatsApp recusa mensagens deste envio${share(breaker)}.`,
    next: "O envio parou antes que o número seja bloqueado. Confira o texto, a imagem e a lista antes de continuar.",
  }),
  breaker_absent: ({ breaker }) => ({
    fact: `Muitos números não têm WhatsApp${share(breaker)}.`,
    next: "Listas assim levam ao bloqueio do número. Confira de onde vieram os contatos antes de continuar.",
  }),
  breaker_leaving: ({ breaker }) => ({
    fact: `Muitas pessoas pedem para sair${share(breaker)}.`,
    next: "Quem sai também pode bloquear e denunciar o número. Reveja o público e o texto antes de continuar.",
  }),
  breaker_undelivered: ({ breaker }) => ({
    fact: `Muitas mensagens não são entregues${share(breaker)}.`,
    next: "Quem bloqueou o número não recebe, nem quem não usa mais o seu. Confira a lista antes de continuar.",
  }),
  number_banned: ({ name }) => ({
    fact: `O WhatsApp bloqueou o número da conexão ${name}.`,
    next: "Todos os envios deste número pararam. Veja o aviso no celular e reconecte o número antes de continuar.",
  }),
  number_logged_out: ({ name }) => ({
    fact: `A conexão ${name} foi encerrada pelo WhatsApp ou no celular.`,
    next: "Todos os envios deste número pararam. Veja no celular se há um aviso e reconecte o número antes de continuar.",
  }),
  number_locked_again: ({ name }) => ({
    fact: `O WhatsApp bloqueou novas conversas da conexão ${name} pela segunda vez em 30 dias.`,
    next: "Todos os envios deste número pararam. Reveja o público, o texto e o ritmo antes de continuar.",
  }),
  limit: () => ({
    fact: "A conta chegou ao limite de mensagens deste mês.",
    next: "Quando o mês virar ou o administrador aumentar o limite, continue o envio.",
  }),
  suspended: () => ({
    fact: "A conta esteve suspensa por quem administra esta instalação.",
    next: "Nada saiu nesse tempo. Continue o envio quando quiser.",
  }),
  restored: () => ({
    fact: "Os dados foram restaurados de uma cópia.",
    next: "Mensagens enviadas depois dela podem não constar aqui. Confira antes de continuar.",
  }),
  unknown: ({ since }) => ({ fact: after("O envio está pausado", since), next: "Continue quando quiser." }),
};

export const causesText = {
  down,
  stopped,
  missed: (when: string): Cause => ({
    fact: "Perdida: confirmar.",
    next: `A hora marcada, ${when}, passou enquanto o servidor estava desligado. Nada foi enviado.`,
  }),
  /** What a scheduled campaign lacks; it would stop at its start time. */
  gone: {
    connection: (name: string) => `A conexão ${name} foi excluída.`,
    list: (name: string) => `A lista ${name} foi excluída.`,
    next: "Edite a campanha e escolha outra, ou ela não começa na hora marcada.",
    missed: "Cancele este envio e, com Reutilizar, escolha outra.",
  },
  seePeople: "Ver essas pessoas",
  left: (count: string) => `Faltam ${count}\u00a0mensagens.`,
  leftOne: "Falta 1\u00a0mensagem.",
  anyConnection: "padrão",
};
