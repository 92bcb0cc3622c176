export const restoredText = {
  label: "Instalação restaurada",
  fact: (when: string) =>
    `Estes dados são uma cópia feita em ${when}. Nada é enviado nem conectado por enquanto.`,
  after:
    "O que foi enviado depois da cópia não consta aqui: quem já recebeu aparece como pendente e receberia de novo, e quem pediu para sair depois dela também. Quem estava recebendo naquele instante ficou «A verificar».",
  next: "O administrador libera esta instalação quando a original estiver desligada; as duas juntas disputariam os mesmos números. Depois, cada campanha continua só quando alguém toca em «Continuar».",
  command: "Para o administrador:",
};
