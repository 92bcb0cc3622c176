export const idleText = {
  label: "Envio parado",
  fact: "Nada é enviado agora: o processo de envio desta instalação não está no ar.",
  after:
    "Campanhas e mensagens esperam, e ninguém se perde. O que as telas dizem das conexões e dos envios é o que se sabia por último; o que chegar pelo WhatsApp aparece quando ele voltar.",
  next: "O administrador inicia esse processo (RECADO_PROCESS=worker); tudo continua sozinho.",
};
