import { resetToken } from "../accounts/reset-token.ts";
import { wordsOf } from "./letters.ts";
import { type Claimed, RESET_LETTER } from "./mail-repo.ts";
import type { Letter } from "./mailer.ts";
import { unsubscribeToken } from "./unsubscribe.ts";

type Deps = {
  publicUrl: string | null;
  /** Signs the links out of news, and makes those that set a new password. */
  key: Uint8Array;
  resetKey: Uint8Array;
};

/**
 * A stored letter as it goes out: news get the way to have no more of them, at their foot and in their headers; a link that sets a new
 * password is in the letter alone. Null where such a link leads nowhere: RECADO_URL was taken away while it waited.
 */
export function writeLetter({ publicUrl, key, resetKey }: Deps): (letter: Claimed) => Letter | null {
  return ({ id, accountId, kind, key: occasion, to, language, subject, body }) => {
    // Of a number alone, two installations under one address would share names.
    const messageId = `recado.${id}.${kind}.${accountId}`;
    if (kind === "account_updates" && occasion.startsWith(RESET_LETTER)) {
      if (publicUrl === null) return null;
      const link = `${publicUrl}/nova-senha#${resetToken(resetKey, occasion.slice(RESET_LETTER.length))}`;
      const text = `${body.trimEnd()}\n\n${wordsOf(language).resetLink}\n${link}\n`;
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
