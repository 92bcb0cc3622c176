import { wordsOf } from "./letters.ts";
import type { Claimed } from "./mail-repo.ts";
import type { Letter } from "./mailer.ts";
import { unsubscribeToken } from "./unsubscribe.ts";

type Deps = { publicUrl: string | null; key: Uint8Array };

/** A stored letter as it goes out: news get the way to have no more of them, at their foot and in their headers. */
export function writeLetter({ publicUrl, key }: Deps): (letter: Claimed) => Letter {
  return ({ id, accountId, kind, to, language, subject, body }) => {
    // Of a number alone, two installations under one address would share names.
    const messageId = `recado.${id}.${kind}.${accountId}`;
    if (kind !== "marketing" && kind !== "product") return { messageId, to, subject, text: body };
    if (publicUrl === null) throw new Error("news cannot be sent without RECADO_URL");
    const token = unsubscribeToken(key, accountId, kind);
    const words = wordsOf(language);
    const foot = `--\n${words.news[kind]}\n${words.unsubscribe} ${publicUrl}/descadastrar/${token}\n`;
    const unsubscribe = { oneClick: `${publicUrl}/api/unsubscribe/${token}` };
    return { messageId, to, subject, text: `${body.trimEnd()}\n\n${foot}`, unsubscribe };
  };
}
