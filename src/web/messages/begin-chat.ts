export const beginChatText = {
  title: "Nova conversa",
  context: "Nada é enviado antes de você escrever.",
  connection: "Conexão",
  phone: "Telefone ou nome",
  phoneHint: "Com DDD: 31 90234-1187. De outro país, com + e o código.",
  people: "Pessoas das suas listas",
  button: "Abrir conversa",
  busy: "Abrindo...",
  failed: "Não foi possível abrir a conversa.",
  link: (who: string, phone: string) => `Conversar com ${who}: ${phone}`,
};
