import { inLanguage } from "./in-language.ts";

/** Words that any screen may need. */
export const commonText = inLanguage({
  "pt-BR": {
    product: "Recado",
    retry: "Tentar novamente",
    cancel: "Cancelar",
    close: "Fechar",
    copy: "Copiar",
    copied: "Copiado!",
    copyFailed: "Não foi possível copiar. Selecione o texto e copie com o teclado.",
    loading: "Carregando...",
    optional: "(opcional)",
    clearSearch: "Limpar busca",
    none: "—",
    today: "hoje",
    yesterday: "ontem",
    at: "às",
    about: "cerca de",
    dismiss: "Fechar aviso",
    notifications: "Avisos",
    percentOf: (done: string, total: string) => `${done} de ${total}`,
    imageFailed: "Não foi possível enviar a imagem.",
    skip: "Ir para o conteúdo",
  },
});
