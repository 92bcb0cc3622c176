import { clsx } from "clsx";
import { ChevronDown, Server, Smartphone } from "lucide-react";
import { useId } from "react";
import type { Connection } from "../../../contract/connections.ts";
import { useUnread } from "../../api/unread.ts";
import { connectionName } from "../../connections/connection-name.ts";
import { shownState } from "../../connections/connection-words.ts";
import { chatText as t } from "../../messages/chat.ts";
import fieldStyles from "../../ui/field.module.css";
import { Icon } from "../../ui/icon.tsx";
import layoutStyles from "../../ui/layout.module.css";
import styles from "./chat-list.module.css";

type Props = {
  connections: readonly Connection[];
  chosen: Connection | undefined;
  onChoose: (id: number) => void;
};

export function ConnectionPicker({ connections, chosen, onChoose }: Props) {
  const id = useId();
  const { data: unread } = useUnread();
  return (
    <div className={clsx(fieldStyles.wrap, styles.picker)} data-ui="wrap">
      <label htmlFor={id} className={layoutStyles.srOnly}>
        {t.connection}
      </label>
      <Icon of={chosen?.kind === "instance" ? Server : Smartphone} sm className={fieldStyles.start} />
      <select
        id={id}
        className={fieldStyles.input}
        data-ui="input"
        value={chosen?.id ?? ""}
        onChange={(event) => onChoose(Number(event.target.value))}
      >
        {connections.map((connection) => (
          <option key={connection.id} value={connection.id}>
            {t.connectionOption(
              connectionName(connection),
              shownState(connection).label,
              unread?.connections.find(({ connectionId }) => connectionId === connection.id)?.unread ?? 0,
            )}
          </option>
        ))}
      </select>
      <Icon of={ChevronDown} sm className={fieldStyles.end} />
    </div>
  );
}
