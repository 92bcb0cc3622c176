export const pagedRowsText = {
  range: (from: string, to: string, total: string) => `Linhas ${from} a ${to} de ${total}`,
  earlier: "Linhas anteriores",
  later: "Próximas linhas",
  loadingRow: "Carregando...",
  printed: (from: string, to: string) => `Impressas só as linhas ${from} a ${to} desta lista.`,
};

export const listPeopleText = {
  all: (name: string) => `Ver todos os contatos de ${name}`,
  search: "Buscar nesta lista",
  searchPlaceholder: "Buscar por nome ou telefone...",
  people: "Contatos da lista",
  failed: "Erro ao buscar contatos",
  nothing: (words: string) => `Nada encontrado para «${words}».`,
};
