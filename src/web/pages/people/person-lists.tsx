import { ListPlus, X } from "lucide-react";
import { useState } from "react";
import type { PersonDetails } from "../../../contract/people.ts";
import { listName } from "../../lib/list-name.ts";
import { personText as t } from "../../messages/people.ts";
import { Button } from "../../ui/button.tsx";
import cardStyles from "../../ui/card.module.css";
import { IconButton } from "../../ui/icon-button.tsx";
import textStyles from "../../ui/text.module.css";
import { TextLink } from "../../ui/text-link.tsx";
import { useFocusOnUnmount } from "../../ui/use-focus-on-unmount.ts";
import styles from "./person-page.module.css";
import { PutInListDialog } from "./put-in-list-dialog.tsx";
import { useTakeOut } from "./use-take-out.ts";

export function PersonLists({ person }: { person: PersonDetails }) {
  const [putting, setPutting] = useState(false);
  const selection = { ids: [person.id] };
  return (
    <section className={cardStyles.card} aria-label={t.lists}>
      <header className={cardStyles.cardHead}>
        <h2 className={cardStyles.cardTitle}>{t.lists}</h2>
        <Button small look="ghost" icon={ListPlus} onClick={() => setPutting(true)}>
          {t.put}
        </Button>
      </header>
      <div className={styles.inside}>
        {person.lists.length === 0 ? (
          <p className={textStyles.muted}>{t.noLists}</p>
        ) : (
          <ul className={styles.chips}>
            {person.lists.map((list) => (
              <ListChip key={list.id} list={list} selection={selection} />
            ))}
          </ul>
        )}
      </div>
      {putting && <PutInListDialog selection={selection} count={1} onClose={() => setPutting(false)} />}
    </section>
  );
}

type ChipProps = { list: { id: number; name: string }; selection: { ids: number[] } };

function ListChip({ list, selection }: ChipProps) {
  const takeOut = useTakeOut();
  const chip = useFocusOnUnmount<HTMLLIElement>();
  const name = listName(list);
  return (
    <li ref={chip} className={styles.chip}>
      <TextLink to="/contacts/pessoas" search={{ lista: list.id }}>
        {name}
      </TextLink>
      <IconButton
        plain
        small
        label={t.takeOut(name)}
        icon={X}
        onClick={() => void takeOut(selection, list, { done: t.tookOut(name), undone: t.putBack(name) })}
      />
    </li>
  );
}
