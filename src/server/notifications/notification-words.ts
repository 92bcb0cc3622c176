import type { Language } from "../../contract/accounts.ts";

const MAIL_ERRORS: Readonly<Record<Language, Readonly<Record<string, string>>>> = {
  "pt-BR": {
    auth: "O servidor de e-mail recusou o usuário ou a senha.",
    tls: "O servidor de e-mail não ofereceu uma conexão segura.",
    refused: "O servidor de e-mail recusou a mensagem.",
    later: "O servidor de e-mail pediu para tentar mais tarde.",
    timeout: "O servidor de e-mail não respondeu a tempo.",
    unreachable: "O servidor de e-mail não pôde ser alcançado.",
    failed: "O e-mail não pôde ser enviado.",
  },
  en: {
    auth: "The mail server refused the user or the password.",
    tls: "The mail server offered no secure connection.",
    refused: "The mail server refused the message.",
    later: "The mail server asked to try again later.",
    timeout: "The mail server did not answer in time.",
    unreachable: "The mail server could not be reached.",
    failed: "The e-mail could not be sent.",
  },
};

/** Text of `refused 550` with the server's number. */
export function mailError(language: Language, error: string): string {
  const [code = "", number] = error.split(" ");
  const words = MAIL_ERRORS[language];
  const text = words[code] ?? words.failed ?? "";
  return number ? `${text} (${number})` : text;
}
