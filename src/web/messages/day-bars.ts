import { counted } from "./format.ts";

export const dayBarsText = {
  today: "hoje",
  perDay: "Mensagens por dia",
  messages: (day: string, warm: number, cold: number) =>
    `${day}: ${counted(warm + cold, "mensagem", "mensagens")}, ${counted(cold, "nova", "novas")}`,
};
