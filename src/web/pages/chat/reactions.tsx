import type { ChatMessage } from "../../../contract/chats.ts";
import { formatPhone } from "../../../domain/phone-written.ts";
import { chatText as t } from "../../messages/chat.ts";
import layoutStyles from "../../ui/layout.module.css";
import { Tooltip } from "../../ui/tooltip.tsx";
import styles from "./facts.module.css";

type Props = { reactions: ChatMessage["reactions"]; group: boolean; who: string };

export function Reactions({ reactions, group, who }: Props) {
  if (reactions.length === 0) return null;
  const byEmoji = Map.groupBy(
    reactions.filter(({ emoji }) => emoji !== ""),
    ({ emoji }) => emoji,
  );
  const nameOf = (one: Props["reactions"][number]) =>
    one.fromMe ? t.messages.you : one.who === null ? who : formatPhone(one.who);
  return (
    <>
      <ul className={styles.reactions} data-ui="reactions" aria-label={t.reactions}>
        {[...byEmoji].map(([emoji, of]) => (
          <li key={emoji}>
            <Reaction emoji={emoji} names={t.reactedBy(of.map(nameOf))} count={of.length} group={group} />
          </li>
        ))}
      </ul>
      <ReactionAct reactions={reactions} />
    </>
  );
}

function ReactionAct({ reactions }: Pick<Props, "reactions">) {
  const own = reactions.find(({ act }) => act !== null)?.act;
  if (!own) return null;
  const said =
    own.status === "error"
      ? t.acts.notReacted
      : own.status === "uncertain"
        ? t.acts.perhapsReacted
        : t.acts.reacting;
  return <p className={styles.act}>{[said, own.error?.text].filter(Boolean).join(" ")}</p>;
}

type One = { emoji: string; names: string; count: number; group: boolean };

function Reaction({ emoji, names, count, group }: One) {
  const shown = (
    <span aria-hidden="true">
      {emoji}
      {count > 1 && ` ${count}`}
    </span>
  );
  const said = <span className={layoutStyles.srOnly}>{`${emoji} ${names}`}</span>;
  if (!group)
    return (
      <span className={styles.reaction}>
        {shown}
        {said}
      </span>
    );
  return (
    <Tooltip text={names} tap>
      <button type="button" className={styles.reaction}>
        {shown}
        {said}
      </button>
    </Tooltip>
  );
}
