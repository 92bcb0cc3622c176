import { linkToken } from "../base/link-token.ts";
import { wordsOf } from "./emails.ts";
import { type Claimed, CONFIRM_EMAIL, RESET_EMAIL } from "./mail-repo.ts";
import type { Email } from "./mailer.ts";
import { unsubscribeToken } from "./unsubscribe.ts";

type Deps = {
  publicUrl: string | null;
  /** For unsubscribe links. */
  key: Uint8Array;
  /** For password links and confirmation links. */
  resetKey: Uint8Array;
  confirmKey: Uint8Array;
};

/**
 * The final e-mail: news get unsubscribe links, secret links are added only now. Null if RECADO_URL, needed
 * for the link, was removed.
 */
export function writeEmail(deps: Deps): (email: Claimed) => Email | null {
  const { publicUrl, key } = deps;
  const links = [
    { begins: RESET_EMAIL, path: "/nova-senha", key: deps.resetKey, words: "resetLink" },
    { begins: CONFIRM_EMAIL, path: "/confirmar-email", key: deps.confirmKey, words: "confirmLink" },
  ] as const;
  const linkOf = (occasion: string) => links.find(({ begins }) => occasion.startsWith(begins));
  return ({ id, accountId, kind, key: occasion, to, language, subject, body }) => {
    // Numbers alone would collide between installations with one address.
    const messageId = `recado.${id}.${kind}.${accountId}`;
    const link = kind === "account_updates" ? linkOf(occasion) : undefined;
    if (link) {
      if (publicUrl === null) return null;
      const words = wordsOf(language)[link.words];
      const token = linkToken(link.key, occasion.slice(link.begins.length));
      const text = `${body.trimEnd()}\n\n${words}\n${publicUrl}${link.path}#${token}\n`;
      return { messageId, to, subject, text };
    }
    if (kind !== "marketing" && kind !== "product") return { messageId, to, subject, text: body };
    if (publicUrl === null) return null;
    const token = unsubscribeToken(key, accountId, kind);
    const words = wordsOf(language);
    const foot = `--\n${words.news[kind]}\n${words.unsubscribe} ${publicUrl}/descadastrar/${token}\n`;
    const unsubscribe = { oneClick: `${publicUrl}/api/unsubscribe/${token}` };
    return { messageId, to, subject, text: `${body.trimEnd()}\n\n${foot}`, unsubscribe };
  };
}
