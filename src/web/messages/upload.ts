export const uploadText = {
  lost: "Sem conexão; o envio continua quando ela voltar.",
  label: "Envio do arquivo",
  share: (share: number) => `${share}%`,
};
