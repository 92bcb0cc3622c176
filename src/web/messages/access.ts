import { counted } from "./format.ts";

export const accessText = {
  proof: {
    label: "Senha da sua conta",
    hint: "Pedida porque isto dá acesso ao que é da conta. Vale por dez minutos neste navegador.",
  },
  ended: "Deixaram de funcionar",
  living: "Continuam ligados à conta",
  livingText: "Confira se são seus. O que você não reconhece pode ser removido nas telas do Recado.",
  key: (name: string) => `Chave de API «${name}»`,
  relay: (name: string) => `Endereço que recebia as mensagens da instância «${name}»`,
  livingRelay: (name: string) => `Endereço que recebe as mensagens da instância «${name}»`,
  gateway: (name: string) => `Servidor Evolution «${name}»`,
  mistral: "Chave da Mistral",
  mistralHint: (hint: string) => `termina em ${hint}`,
  changed: {
    title: "Senha definida",
    lead: "A nova senha já vale. Veja o que deixou de funcionar e o que continua ligado à sua conta.",
    sessions: (count: number) =>
      count === 0
        ? "Nenhum navegador estava conectado."
        : `${counted(count, "navegador desconectado", "navegadores desconectados")}.`,
    signIn: "Entrar",
  },
  confirmation: {
    waits: "O seu e-mail ainda não foi confirmado.",
    waitsText: (email: string) =>
      `Nenhum aviso vai para ${email} até você o confirmar pelo link que chega por lá.`,
    change: "O seu novo e-mail espera pela confirmação.",
    changeText: (email: string) =>
      `Até você confirmar ${email} pelo link que chega por lá, você continua entrando com o endereço de antes.`,
    operator: (email: string) =>
      `Este servidor não sabe o próprio endereço e não envia links. Quem o administra confirma ${email} com este comando:`,
    again: "Enviar de novo",
    sending: "Enviando...",
    sent: "Link enviado. Confira também a caixa de spam.",
    failed: "O link não foi enviado.",
    giveUp: "Desistir da troca",
    givingUp: "Desistindo...",
    gaveUp: "A troca de e-mail foi desfeita.",
    giveUpFailed: "A troca não foi desfeita.",
  },
  confirm: {
    title: "Confirmar e-mail",
    lead: (email: string) => `O endereço ${email} é seu e recebe os avisos da sua conta no Recado?`,
    changeLead: (email: string) => `O endereço ${email} passa a ser o e-mail da sua conta no Recado?`,
    loading: "Conferindo o link.",
    notYours: "Se você não criou esta conta, feche esta página: sem a confirmação, nenhum aviso é enviado.",
    notAsked: "Se você não pediu esta troca, feche esta página: sem a confirmação, nada muda.",
    button: "Confirmar",
    busy: "Confirmando...",
    failed: "O e-mail não foi confirmado",
    loadFailed: "Não foi possível conferir o link",
    done: "E-mail confirmado",
    doneText: (email: string) => `Os avisos da sua conta vão para ${email}.`,
    changeDoneText: (email: string) => `Agora você entra com ${email}, e os avisos vão para lá.`,
    over: "Este link não vale mais",
    overText:
      "Cada link vale por três dias e só uma vez. Se o e-mail ainda espera, peça outro em Configurações.",
    open: "Abrir o Recado",
  },
};
