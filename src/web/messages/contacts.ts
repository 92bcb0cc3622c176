import { counted, formatNumber } from "./format.ts";

const contacts = (count: number) => counted(count, "contato", "contatos");

export const contactsText = {
  title: "Contatos",
  fact: (lists: number, people: number) =>
    `${counted(lists, "lista", "listas")}, ${contacts(people)}${lists > 1 ? " (quem está em duas listas conta em cada uma)" : ""}`,
  factEmpty: "Nenhuma lista ainda",
  import: "Importar",
  export: "Exportar",
  newContact: "Novo Contato",
  search: "Buscar contatos",
  searchPlaceholder: "Buscar contatos...",
  failed: "Erro ao buscar contatos",
  more: "Mostrar mais listas",
  noName: "Sem nome",
  count: contacts,
  found: (found: number, all: number) => `${formatNumber(found)} de ${contacts(all)}`,
  foundIn: (found: number, lists: number) => `${contacts(found)} em ${counted(lists, "lista", "listas")}`,
  foundLists: (lists: number) => counted(lists, "lista encontrada", "listas encontradas"),
  foundMore: (lists: number) => `Mais de ${counted(lists, "lista encontrada", "listas encontradas")}`,
  oneList: "Só esta lista está à vista.",
  listGone: "Esta lista não existe mais.",
  allLists: "Mostrar todas as listas",
  rest: (count: number) => `+${contacts(count)}`,
  deleteList: "Excluir Lista",
  seePeople: "Ver pessoas",
  sendCampaign: "Enviar campanha",
  exportList: "Exportar",
  person: {
    inList: (list: string) => `Está na lista «${list}».`,
    copy: "Copiar número",
    leaveOut: "Não enviar campanhas",
    leaveOutHint: "Deixa de receber campanhas, também as que estão em andamento. Continua na lista.",
    allowHint: "As campanhas pulam esta pessoa.",
    failed: "Não foi possível alterar.",
  },
  empty: {
    title: "Nenhuma lista de contatos",
    text: "Importe a planilha que você já tem ou adicione um contato de cada vez.",
    action: "Importar contatos",
  },
  nothing: {
    title: "Nenhum contato encontrado",
    text: (term: string) =>
      `Nada encontrado para «${term}». Confira o nome ou use só os últimos números do telefone.`,
  },
  remove: {
    question: "Tem certeza que deseja excluir esta lista de contatos?",
    lost: (name: string, count: number) =>
      `${count === 1 ? "O contato sai" : `Os ${contacts(count)} saem`} da lista «${name}» e ${count === 1 ? "continua" : "continuam"} na sua conta; as campanhas já enviadas continuam no histórico.`,
    stops: (count: number) =>
      count === 1
        ? "1 campanha agendada usa esta lista e não começa sem ela."
        : `${formatNumber(count)} campanhas agendadas usam esta lista e não começam sem ela.`,
    stopsWaiting: (count: number) =>
      count === 1
        ? "1 campanha que ainda não começou usa esta lista e não começa sem ela."
        : `${formatNumber(count)} campanhas que ainda não começaram usam esta lista e não começam sem ela.`,
    goesOn: (count: number) =>
      count === 1
        ? "1 campanha em andamento continua enviando a estes contatos até ser pausada ou cancelada."
        : `${formatNumber(count)} campanhas em andamento continuam enviando a estes contatos até serem pausadas ou canceladas.`,
    verb: "Excluir",
    busy: "Excluindo...",
    failed: "Erro ao excluir lista.",
    done: (name: string, count: number) =>
      count === 0
        ? `Lista «${name}» excluída`
        : `Lista «${name}» excluída; ${count === 1 ? "o contato continua" : `os ${contacts(count)} continuam`} em «Todas as pessoas»`,
  },
  exporting: {
    title: "Exportar contatos",
    context: "Um arquivo CSV que o Excel abre, com as colunas Nome e Telefone.",
    list: "Lista de contatos",
    pick: "Escolha uma lista",
    required: "Escolha uma lista.",
    button: "Exportar",
    failed: "Erro ao buscar listas.",
    none: "Ainda não há listas para exportar.",
  },
  adding: {
    title: "Novo Contato",
    name: "Nome",
    nameRequired: "Informe o nome.",
    phone: "Telefone",
    phoneHint: "Com DDD: 31 90234-1187. De outro país, com + e o código.",
    phoneRequired: "Informe o telefone.",
    list: "Lista",
    own: "Nova lista só deste contato",
    ownHint: (name: string) => `Fica na lista «Contato manual - ${name}».`,
    listGone: "A lista escolhida foi excluída. Escolha outra.",
    button: "Adicionar",
    busy: "Adicionando...",
    failed: "Erro ao adicionar contato.",
    done: (name: string, list: string) => `${name} entrou na lista «${list}»`,
    ninth: "Acrescentamos o nono dígito ao telefone.",
  },
};
