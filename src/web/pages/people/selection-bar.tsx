import { Download, ListMinus, ListPlus, Trash2 } from "lucide-react";
import { useState } from "react";
import { SELECTED_MOST } from "../../../domain/limits.ts";
import { address as fileAddress } from "../../api/call.ts";
import { scopeOf } from "../../api/people.ts";
import { peopleText } from "../../messages/people.ts";
import type { PeopleAddress } from "../../routes/people.ts";
import { Button } from "../../ui/button.tsx";
import { DownloadButton } from "../../ui/link-button.tsx";
import textLinkStyles from "../../ui/text-link.module.css";
import styles from "./people.module.css";
import { PutInListDialog } from "./put-in-list-dialog.tsx";
import { RemovePeopleDialog } from "./remove-people-dialog.tsx";
import { TakeOutDialog } from "./take-out-dialog.tsx";
import type { Selecting } from "./use-selection.ts";
import { useTakeOut } from "./use-take-out.ts";

const t = peopleText.selection;

type Props = { address: PeopleAddress; list: { id: number; name: string } | null; selecting: Selecting };

export function SelectionBar({ address, list, selecting }: Props) {
  const [open, setOpen] = useState<"put" | "take-out" | "remove" | null>(null);
  const takeOut = useTakeOut();
  const { all, count, matching } = selecting;
  const selection = selecting.chosen();
  const close = () => setOpen(null);
  const take = () => {
    if (!list) return;
    if (all) return setOpen("take-out");
    void takeOut(selection, list).then((gone) => gone && selecting.clear());
  };
  return (
    <section className={styles.bar} aria-label={t.bar}>
      <b role="status">{count === null ? "…" : t.chosen(count)}</b>
      {!all && matching !== null && matching > (count ?? 0) && (
        <button type="button" className={textLinkStyles.link} onClick={selecting.takeAll}>
          {t.all(matching)}
        </button>
      )}
      <button type="button" className={textLinkStyles.link} onClick={selecting.clear}>
        {t.clear}
      </button>
      {selecting.isFull && <span>{t.most(SELECTED_MOST)}</span>}
      <span className={styles.barEnd}>
        <Button small look="ghost" icon={ListPlus} onClick={() => setOpen("put")}>
          {t.put}
        </Button>
        {list && (
          <Button small look="ghost" icon={ListMinus} onClick={take}>
            {t.takeOut}
          </Button>
        )}
        <DownloadButton
          small
          look="ghost"
          icon={Download}
          download
          href={fileAddress("/api/people/export", {
            query: "ids" in selection ? { ids: selection.ids.join(",") } : scopeOf(address),
          })}
        >
          {peopleText.export}
        </DownloadButton>
        <Button small look="quiet-danger" icon={Trash2} onClick={() => setOpen("remove")}>
          {t.remove}
        </Button>
      </span>
      {open === "put" && (
        <PutInListDialog selection={selection} count={count ?? 0} onDone={selecting.clear} onClose={close} />
      )}
      {open === "take-out" && list && (
        <TakeOutDialog
          selection={selection}
          count={count}
          list={list}
          onDone={selecting.clear}
          onClose={close}
        />
      )}
      {open === "remove" && (
        <RemovePeopleDialog selection={selection} count={count} onDone={selecting.clear} onClose={close} />
      )}
    </section>
  );
}
