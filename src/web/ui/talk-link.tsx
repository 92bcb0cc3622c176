import { MessageCircle } from "lucide-react";
import { formatPhone } from "../../domain/phone-written.ts";
import { beginChatText } from "../messages/begin-chat.ts";
import { Icon } from "./icon.tsx";
import { TextLink } from "./text-link.tsx";
import "./talk-link.css";

type Props = { phone: string; name: string; connectionId?: number | null };

export function TalkLink({ phone, name, connectionId }: Props) {
  const written = formatPhone(phone);
  return (
    <TextLink
      to="/chat"
      search={{ para: Number(phone), ...(connectionId ? { conexao: connectionId } : {}) }}
      preload={false}
      className="talk-link"
      aria-label={beginChatText.link(name, written)}
    >
      {written}
      <Icon of={MessageCircle} sm />
    </TextLink>
  );
}
