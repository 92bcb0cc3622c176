import type { ChatMessage } from "../../../contract/chats.ts";
import { formatPhone } from "../../../domain/phone-written.ts";
import { chatText as t } from "../../messages/chat.ts";
import layoutStyles from "../../ui/layout.module.css";
import styles from "./facts.module.css";

export type GoTo = (key: string) => void;

type Props = { quoted: NonNullable<ChatMessage["quoted"]>; who: string; goTo: GoTo | null };

export function Quoted({ quoted, who, goTo }: Props) {
  const { key } = quoted;
  const words = <QuotedWords quoted={quoted} who={who} />;
  if (key === null || goTo === null) return <div className={styles.quoted}>{words}</div>;
  return (
    <button type="button" className={styles.quoted} data-ui="quoted" onClick={() => goTo(key)}>
      <span className={layoutStyles.srOnly}>{t.quote.goTo}</span>
      {words}
    </button>
  );
}

export function QuotedWords({ quoted, who }: Omit<Props, "goTo">) {
  const { kind, text } = quoted;
  const named = kind === "text" || (kind === "other" && text !== "") ? null : t.kinds[kind];
  const unknown = kind === "other" && text === "" ? t.quote.notHere : null;
  return (
    <>
      {speakerOf(quoted, who) !== null && <b>{speakerOf(quoted, who)}</b>}
      <span>{unknown ?? [named, text].filter(Boolean).join(": ")}</span>
    </>
  );
}

function speakerOf({ fromMe, who: member }: Props["quoted"], who: string): string | null {
  if (fromMe) return t.messages.you;
  if (member !== null) return formatPhone(member);
  return fromMe === null ? null : who;
}
