import type { Access } from "../../contract/accounts.ts";
import { accessText as t } from "../messages/access.ts";
import styles from "./access-list.module.css";

type Props = { title: string; text?: string; all: readonly Access[]; living?: boolean };

export function AccessList({ title, text, all, living = false }: Props) {
  if (all.length === 0) return null;
  return (
    <div className={styles.accessList}>
      <p>
        <strong>{title}</strong>
      </p>
      {text && <p>{text}</p>}
      <ul>
        {all.map((one) => (
          <li key={JSON.stringify(one)}>
            {wordsOf(one, living)} <code>{detailOf(one)}</code>
          </li>
        ))}
      </ul>
    </div>
  );
}

function wordsOf(one: Access, living: boolean): string {
  if (one.kind === "mistral") return t.mistral;
  if (one.kind === "relay") return living ? t.livingRelay(one.name) : t.relay(one.name);
  return t[one.kind](one.name);
}

function detailOf(one: Access): string {
  if (one.kind === "mistral") return t.mistralHint(one.hint);
  return one.kind === "key" ? `${one.prefix}…` : one.host;
}
