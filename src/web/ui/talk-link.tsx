import { MessageCircle } from "lucide-react";
import { formatPhone } from "../../domain/phone-written.ts";
import { beginChatText } from "../messages/begin-chat.ts";
import { Icon } from "./icon.tsx";
import styles from "./talk-link.module.css";
import { TextLink } from "./text-link.tsx";

type Props = { phone: string; name: string; connectionId?: number | null };

export function TalkLink({ phone, name, connectionId }: Props) {
  const written = formatPhone(phone);
  return (
    <TextLink
      to="/chat"
      search={{ para: Number(phone), ...(connectionId ? { conexao: connectionId } : {}) }}
      preload={false}
      className={styles.talkLink}
      aria-label={beginChatText.link(name, written)}
    >
      {written}
      <Icon of={MessageCircle} sm />
    </TextLink>
  );
}
