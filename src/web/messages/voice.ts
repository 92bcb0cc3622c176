import { counted } from "./format.ts";

export const voiceText = {
  label: "Gravação de voz",
  asking: "Permita o uso do microfone no navegador.",
  recording: "Gravando",
  paused: "Gravação em pausa",
  ending: "Preparando a gravação...",
  ready: (length: string) => `Gravação pronta, ${length}`,
  since: (minutes: number) => counted(minutes, "minuto", "minutos"),
  pause: "Pausar gravação",
  resume: "Continuar gravando",
  stop: "Parar e ouvir",
  discard: "Descartar gravação",
  play: "Ouvir gravação",
  silence: "Parar de ouvir",
  played: "Já ouvido",
  ends: {
    cut: "O microfone foi desconectado. O que foi gravado até aqui está guardado.",
    full: (minutes: number) => `A gravação parou no limite de ${minutes} minutos.`,
  },
  errors: {
    insecure:
      "O navegador só libera o microfone em endereços seguros (https). Peça HTTPS a quem cuida desta instalação.",
    unsupported:
      "Este navegador não grava no formato das mensagens de voz do WhatsApp. Use uma versão atual do Chrome, Edge, Firefox ou Safari.",
    refused:
      "O navegador não liberou o microfone. Libere o microfone nas permissões desta página e tente de novo.",
    absent: "Nenhum microfone foi encontrado. Conecte um microfone e tente de novo.",
    busy: "O microfone não respondeu: outro programa pode estar usando. Feche esse programa e tente de novo.",
    short: "A gravação ficou curta demais: grave pelo menos um segundo.",
    failed: "Não foi possível gravar. Tente de novo.",
  },
};
