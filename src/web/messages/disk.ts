export const diskText = {
  label: "Espaço em disco",
  fact: "O disco desta instalação está quase cheio.",
  after:
    "Quando ele encher, nada mais pode ser gravado: os envios esperam, e importações e alterações são recusadas até haver espaço. O que já foi gravado não se perde.",
  next: "O administrador libera espaço na pasta de dados ou aumenta o disco; tudo continua sozinho.",
};
