import { counted } from "./format.ts";

export const attachmentText = {
  limits: (mb: number) =>
    mb <= 16
      ? `Foto, vídeo MP4, áudio ou documento, até ${mb} MB.`
      : `Foto, vídeo MP4 ou áudio, até 16 MB; documentos, até ${mb} MB.`,
  fileTooLarge: (mb: number) => `O arquivo passa de ${mb} MB.`,
  fileFailed: "Não foi possível enviar o arquivo.",
  reduced: "A imagem foi reduzida para o tamanho que o WhatsApp mostra.",
  speed: (times: number) =>
    `Velocidade: ${times === 1 ? "normal" : `${String(times).replace(".", ",")} vezes`}`,
  pages: (count: number) => counted(count, "página", "páginas"),
  kinds: {
    image: "Imagem",
    video: "Vídeo",
    audio: "Áudio",
    voice: "Mensagem de voz",
    document: "Documento",
    sticker: "Figurinha",
  },
};
