import { counted, formatNumber } from "../format.ts";
import { inLanguage } from "./in-language.ts";

const instances = (count: number) => counted(count, "instância", "instâncias");
const events = (count: number) => counted(count, "evento", "eventos");

/** Gateway servers and their instances. */
export const instancesText = inLanguage({
  "pt-BR": {
    title: "Evolution",
    fact: (all: number, connected: number) =>
      all === 0
        ? "Nenhuma instância ainda"
        : `${instances(all)}, ${counted(connected, "conectada", "conectadas")}`,
    refresh: "Atualizar",
    newInstance: "Nova Instância",
    uses: "Este produto usa a Evolution API.",
    empty: "Nenhuma instância encontrada.",
    emptyText: "Crie a primeira e leia o QR Code com o celular de onde as mensagens vão sair.",
    emptyProvided:
      "Este servidor é compartilhado: aqui aparecem só as instâncias que a sua conta criou nele.",
    gateway: {
      label: "Evolution",
      section: "Evolution escolhida",
      none: "Nenhuma evolution cadastrada.",
      noneText: "Cadastre o servidor da Evolution API que você já usa. As instâncias dele aparecem aqui.",
      failed: "Erro ao buscar evolutions cadastradas.",
      register: "Cadastrar evolution",
      actions: (name: string) => `Ações de ${name}`,
      test: "Testar",
      testing: "Testando...",
      testFailed: "Não foi possível testar o servidor.",
      edit: "Editar",
      remove: "Excluir",
      provided: "Fornecida pelo administrador",
      withdrawn: "Retirada",
      withdrawnText:
        "O administrador retirou este servidor. As instâncias continuam na lista, mas não recebem mais comandos.",
      optionWithdrawn: (name: string) => `${name} (retirada)`,
      findings: (name: string) => `O que o teste de ${name} encontrou`,
      address: "Endereço",
      key: "API Key",
      version: "Versão",
      license: "Licença",
      hooks: "Webhooks",
      testedAt: (when: string) => `Testado ${when}`,
      untested: "Ainda não testado",
      states: {
        reached: "Responde",
        unreachable: "Não responde",
        notEvolution: "Não é uma Evolution API",
        accepted: (hint: string | null) => (hint ? `Aceita, final ${hint}` : "Aceita"),
        refused: (hint: string | null) => (hint ? `Recusada, final ${hint}` : "Recusada"),
        noVersion: "Não informada",
        licensed: "Em ordem",
        unlicensed: "Não ativada",
        activate: "Ativar a licença",
        arrive: "Chegam ao Recado",
        lost: "Não chegam ao Recado",
        unknown: "Não verificado",
      },
      faults: {
        unreachable: {
          fact: "O servidor não respondeu.",
          next: "Confira o endereço e se ele está no ar. O que as instâncias têm para enviar espera por ele.",
        },
        wrong_key: {
          fact: "O servidor recusou a API Key.",
          next: "Edite a evolution e informe a chave global (AUTHENTICATION_API_KEY do servidor).",
        },
        license_required: {
          fact: "A licença deste servidor ainda não foi ativada.",
          next: "Enquanto isso ele não envia nem recebe. Quem cuida do servidor ativa a licença uma vez.",
        },
        not_evolution: {
          fact: "Este endereço não respondeu como uma Evolution API.",
          next: "Confira se é o endereço da API, e não o do Manager ou o de um proxy.",
        },
        ok: null,
      },
      unheard: {
        fact: "Este servidor não consegue chamar o Recado.",
        next: "As instâncias funcionam, e as confirmações são buscadas por consulta, com atraso de alguns minutos. Para recebê-las na hora, defina RECADO_WEBHOOK_URL com um endereço que o servidor alcance.",
      },
      form: {
        title: "Cadastrar evolution",
        editTitle: (name: string) => `Editar ${name}`,
        context: "O servidor da Evolution API que guarda as suas instâncias.",
        name: "Nome",
        nameHint: "Como ela aparece aqui. Sem nome, usamos o endereço.",
        url: "URL",
        urlExample: "https://evolution.exemplo.com.br",
        urlRequired: "Informe a URL do servidor.",
        key: "API Key",
        keyHint: "A chave global do servidor. Fica cifrada aqui e não é mostrada de novo.",
        keyKept: (hint: string | null) =>
          hint
            ? `Deixe em branco para manter a chave atual, final ${hint}.`
            : "Deixe em branco para manter a chave atual.",
        keyRequired: "Informe a API Key do servidor.",
        show: "Mostrar API Key",
        hide: "Ocultar API Key",
        button: "Cadastrar",
        save: "Salvar",
        busy: "Testando...",
        failed: "Não foi possível cadastrar a evolution.",
        saveFailed: "Não foi possível salvar a evolution.",
        done: (name: string) => `${name} cadastrada`,
        saved: (name: string) => `${name} salva`,
      },
      removing: {
        question: (name: string) => `Tem certeza que deseja excluir a evolution "${name}"?`,
        lost: (count: number) =>
          count === 0
            ? "Nenhuma instância dela é usada aqui. No servidor nada é excluído."
            : `${instances(count)} ${count === 1 ? "sai" : "saem"} do Recado, com as conversas que estão aqui. No servidor nada é excluído: ${count === 1 ? "ela continua conectada" : "elas continuam conectadas"} lá.`,
        pauses: (count: number) =>
          count === 1
            ? "1 campanha que envia por elas é pausada."
            : `${formatNumber(count)} campanhas que enviam por elas são pausadas.`,
        busy: "Excluindo...",
        failed: "Não foi possível excluir a evolution.",
        done: (name: string) => `${name} excluída`,
      },
    },
    list: {
      label: "Instâncias",
      failed: "Erro ao buscar instâncias. Verifique se a URL e API Key estão corretas.",
      noNumber: "Número não definido",
      states: { open: "Conectado", connecting: "Conectando", other: "Desconectado" },
      messages: "Mensagens",
      contacts: "Contatos",
      chats: "Chats",
      created: (when: string) => `Criada em ${when}`,
      lastEvent: (when: string) => `Último evento ${when}`,
      noEvent: "Nenhum evento ainda",
      unused: "Existe no servidor e ainda não é usada no Recado.",
      adopt: "Usar no Recado",
      unnameable: "O nome desta instância não permite usá-la aqui.",
      assistantOn: (name: string) => `${name} responde`,
      assistantOff: (name: string) => `${name}, inativo`,
      former: "Webhook de antes, guardado:",
      oddities: (count: number) =>
        count === 1 ? "1 evento não entendido" : `${events(count)} não entendidos`,
      hookFailed: {
        fact: "O webhook desta instância não pôde ser configurado.",
        next: "Tentamos de novo sozinhos. Até lá, mensagens e confirmações são buscadas por consulta.",
      },
      literal: {
        fact: "O servidor chama direto o seu webhook, porque não alcança o Recado.",
        next: "Mensagens e confirmações são buscadas por consulta.",
      },
      qr: "Gerar QR Code",
      webhook: "Webhook",
      webhookLabel: (name: string) => `Configurar webhook de ${name}`,
      assistant: "Assistente",
      assistantLabel: (name: string) => `Vincular assistente a ${name}`,
      qrLabel: (name: string) => `Gerar QR Code de ${name}`,
      remove: (name: string) => `Excluir ${name}`,
      connectedAlready: (name: string) => `${name} já está conectada`,
    },
    relay: {
      waiting: (count: number) => `${events(count)} na fila`,
      delivered: (when: string) => `Entregue ${when}`,
      refused: (status: number, when: string) => `Recusado com o código ${status}, ${when}`,
      failed: (reason: string, when: string) => `Não entregue ${when}: ${reason}`,
      never: "Nada repassado ainda",
      errors: {
        timeout: "o endereço não respondeu a tempo",
        network: "o endereço não respondeu",
        too_large: "a resposta é grande demais",
        aborted: "interrompido",
        redirect: "o endereço redireciona para outro",
        url_private: "endereço interno não permitido pelo administrador",
        url_forbidden: "este endereço não é permitido",
      } as Record<string, string>,
    },
    create: {
      title: "Nova Instância",
      context: "Ela é criada no servidor e passa a ser usada aqui. O QR Code vem em seguida.",
      gateway: "Evolution",
      pick: "Escolha uma evolution",
      gatewayInvalid: "Selecione uma evolution válida.",
      name: "Nome da instância",
      nameHint: "Letras sem acento, números, hífen e sublinhado. Não muda depois.",
      nameRequired: "Informe o nome da instância.",
      token: "Token",
      tokenHint: "A chave só desta instância. Fica cifrada aqui.",
      tokenRequired: "Informe o token.",
      makeToken: "Gerar token",
      number: "Número",
      numberHint: "Com DDD: 31 90234-1187. O número do celular que vai ler o QR Code.",
      numberRequired: "Informe o número.",
      webhook: "URL do webhook",
      webhookHint: "Repassamos a ela cada mensagem recebida.",
      button: "Criar instância",
      busy: "Criando...",
      failed: "Erro ao criar instância. Verifique os dados.",
      done: (name: string) => `Instância ${name} criada`,
    },
    qr: {
      title: "Escaneie o QR Code",
      failed: "Erro ao gerar QR Code. Tente novamente.",
      code: "Código de pareamento",
      codeHint: "Para digitar no celular, em Conectar com número de telefone.",
      done: "WhatsApp conectado com sucesso!",
    },
    hook: {
      title: "Configurar webhook",
      context: (name: string) => `Um endereço seu que recebe as mensagens de ${name}.`,
      url: "URL do webhook",
      example: "https://exemplo.com.br/webhook",
      hint: "Cada mensagem recebida é repassada a ele, no formato da Evolution API.",
      literalHint:
        "Este servidor não alcança o Recado: o endereço é configurado direto nele, e as confirmações chegam por consulta.",
      required: "Por favor, informe a URL do webhook",
      former: "Antes do Recado, o webhook era",
      useFormer: "Usar este endereço",
      last: "Último repasse",
      stop: "Parar de repassar",
      button: "Salvar",
      busy: "Salvando...",
      done: "Webhook configurado com sucesso!",
      stopped: "O repasse parou",
      failed: "Erro ao configurar webhook. Tente novamente.",
    },
    adopting: {
      question: (name: string) => `Usar a instância "${name}" no Recado?`,
      text: "O webhook dela passa a ser o do Recado, que recebe mensagens, confirmações e quedas. O endereço que ela tem hoje deixa de ser chamado, fica guardado e pode voltar a receber as mensagens em Webhook.",
      verb: "Usar no Recado",
      busy: "Configurando...",
      failed: "Não foi possível usar esta instância.",
      done: (name: string) => `${name} já pode ser usada no Recado`,
    },
    removing: {
      question: (name: string) => `Tem certeza que deseja excluir a instância "${name}"?`,
      there: (counts: { messages: number; contacts: number; chats: number }) =>
        counts.messages + counts.contacts + counts.chats === 0
          ? "Ela é excluída do servidor, e o número é desconectado."
          : `Ela é excluída do servidor, com ${counted(counts.messages, "mensagem", "mensagens")}, ${counted(counts.contacts, "contato", "contatos")} e ${counted(counts.chats, "chat", "chats")}, e o número é desconectado.`,
      here: "As conversas dela saem do Recado; as campanhas já enviadas continuam no histórico.",
      verb: "Excluir",
      busy: "Excluindo...",
      failed: "Erro ao excluir instância. Tente novamente.",
      done: (name: string) => `Instância ${name} excluída`,
    },
    odd: {
      title: "Eventos não entendidos",
      context: (name: string) =>
        `O que o servidor mandou de ${name} e ficou de lado, do mais novo ao mais antigo.`,
      failed: "Erro ao buscar os eventos",
      empty: "Nenhum evento de lado",
      unnamed: "Sem nome",
      body: (event: string) => `Conteúdo de ${event}`,
      reasons: {
        unknown_event: "Evento desconhecido",
        malformed: "Conteúdo ilegível",
        foreign_instance: "De outra instância",
      },
    },
  },
});
