import { counted, formatNumber } from "./format.ts";

type Figures = { sent: number; total: number; errors: number; uncertain: number; accepted: number };

export const notifyText = {
  ended: (name: string) => `Campanha concluída: ${name}`,
  endedText: (sent: number, total: number) =>
    `${formatNumber(sent)} de ${counted(total, "mensagem enviada", "mensagens enviadas")}.`,
  endedWithErrors: (name: string) => `Campanha concluída com falhas: ${name}`,
  failures: ({ sent, total, errors, uncertain, accepted }: Figures) => {
    const parts = [
      `${formatNumber(sent)} de ${counted(total, "mensagem enviada", "mensagens enviadas")}`,
      errors > 0 && counted(errors, "erro", "erros"),
      uncertain > 0 && `${formatNumber(uncertain)} a verificar`,
      accepted > 0 && `${formatNumber(accepted)} sem confirmação`,
    ];
    return `${parts.filter(Boolean).join(", ")}.`;
  },
  failed: (name: string) => `Campanha falhou: ${name}`,
  failedText: "Nenhuma mensagem foi enviada. Veja o motivo nos detalhes.",
  paused: (name: string) => `Campanha pausada: ${name}`,
  empty: "Nova mensagem",
  manyTitle: "Novas mensagens",
  many: (count: number) => `${formatNumber(count)} conversas com novas mensagens.`,
};
