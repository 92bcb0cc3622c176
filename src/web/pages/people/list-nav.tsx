import { Link } from "@tanstack/react-router";
import type { ContactListCard } from "../../../contract/contacts.ts";
import { listName } from "../../lib/list-name.ts";
import { formatNumber } from "../../messages/format.ts";
import { peopleText as t } from "../../messages/people.ts";

import styles from "./people.module.css";

type Props = { lists: readonly ContactListCard[]; chosen: number | undefined };

/** Otherwise the router marks each link of this path, whatever list it names. */
const SAME = { exact: true, includeSearch: true };

export function ListNav({ lists, chosen }: Props) {
  return (
    <nav className={styles.lists} aria-label={t.lists}>
      <Link
        to="/contacts/pessoas"
        search={{}}
        activeOptions={SAME}
        aria-current={chosen === undefined ? "page" : undefined}
      >
        {t.all}
      </Link>
      {lists.length > 0 && <h2>{t.lists}</h2>}
      {lists.map((list) => (
        <Link
          key={list.id}
          to="/contacts/pessoas"
          search={{ lista: list.id }}
          activeOptions={SAME}
          aria-current={chosen === list.id ? "page" : undefined}
        >
          <span className={styles.listName}>{listName(list)}</span>
          <span>{formatNumber(list.count)}</span>
        </Link>
      ))}
    </nav>
  );
}
