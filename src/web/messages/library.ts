import { counted } from "./format.ts";

export const libraryText = {
  title: "Mensagens",
  fact: (count: number) => counted(count, "modelo", "modelos"),
  factEmpty: "Nenhum modelo ainda",
  add: "Novo modelo",
  search: "Buscar modelos",
  searchPlaceholder: "Nome, texto ou arquivo",
  failed: "Erro ao buscar os modelos",
  more: "Mostrar mais modelos",
  empty: {
    title: "Guarde as mensagens que você usa sempre",
    text: "Um modelo tem nome, texto com variáveis e, se quiser, um arquivo. Use-o em campanhas, nos robôs e, no chat, digitando / no campo da mensagem.",
  },
  nothing: (words: string) => `Nenhum modelo com «${words}»`,
  nothingText: "Procure por outra palavra do nome, do texto ou do arquivo.",
  changed: (when: string) => `Alterado ${when}`,
  edit: "Editar",
  editLabel: (name: string) => `Editar o modelo ${name}`,
  remove: "Excluir",
  removeLabel: (name: string) => `Excluir o modelo ${name}`,
  removeQuestion: (name: string) => `Excluir o modelo «${name}»?`,
  removeText:
    "Campanhas e conversas que já usaram o modelo ficam como estão. Um robô que o envia não o envia mais.",
  removing: "Excluindo...",
  removeFailed: "Não foi possível excluir o modelo.",
  removed: (name: string) => `Modelo «${name}» excluído`,
  write: {
    insert: (mark: string) => `Inserir ${mark}`,
    insertField: "Inserir campo",
    surname: "Sobrenome",
    characters: (count: string, most: string) => `${count} de ${most} caracteres`,
  },
  pick: {
    open: "Usar da biblioteca",
    title: "Usar da biblioteca",
    context: "O texto entra onde está o cursor; o arquivo do modelo vai junto.",
    none: "Nenhum modelo ainda. Crie o primeiro na tela «Mensagens» ou com «Salvar como modelo».",
    save: "Salvar como modelo",
  },
};
