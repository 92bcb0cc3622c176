import { Check, Columns3, Download, ListFilter, PencilLine } from "lucide-react";
import { address as fileAddress } from "../../api/call.ts";
import { scopeOf } from "../../api/people.ts";
import { listName } from "../../lib/list-name.ts";
import { peopleText as t } from "../../messages/people.ts";
import { segmentsText } from "../../messages/segments.ts";
import { PEOPLE_ORDERS, type PeopleAddress, type PeopleOrder } from "../../routes/people.ts";
import { Button } from "../../ui/button.tsx";
import { Select } from "../../ui/inputs.tsx";
import { DownloadButton } from "../../ui/link-button.tsx";
import { SearchBox } from "../../ui/search-box.tsx";
import { useNarrow } from "../../ui/use-narrow.ts";
import styles from "./people.module.css";

export type Wish = { [N in keyof PeopleAddress]: PeopleAddress[N] | undefined };

type ToolsProps = {
  address: PeopleAddress;
  lists: readonly { id: number; name: string }[];
  go: (wish: Wish) => void;
  onSearch: (words: string) => void;
  onColumns: () => void;
  onSegments: () => void;
  /** Null without fields. */
  edit: { on: boolean; toggle: () => void } | null;
};

const ORDERS: Record<PeopleOrder, string> = {
  nome: t.orders.name,
  "nome-za": t.orders.nameDown,
  antigas: t.orders.created,
  recentes: t.orders.createdDown,
};

export function PeopleTools({ address, lists, go, onSearch, onColumns, onSegments, edit }: ToolsProps) {
  const narrow = useNarrow();
  return (
    <div className={styles.tools}>
      <SearchBox
        label={t.search}
        placeholder={t.searchPlaceholder}
        value={address.busca ?? ""}
        onChange={onSearch}
      />
      <div className={styles.which}>
        <Select
          label={t.list}
          hiddenLabel
          options={[
            { value: "", label: t.all },
            ...lists.map((list) => ({ value: String(list.id), label: listName(list) })),
          ]}
          value={address.lista ?? ""}
          onChange={({ target }) => go({ lista: target.value === "" ? undefined : Number(target.value) })}
        />
      </div>
      {narrow && (
        <Select
          label={t.order}
          hiddenLabel
          options={PEOPLE_ORDERS.map((order) => ({ value: order, label: ORDERS[order] }))}
          value={address.ordem ?? "nome"}
          onChange={({ target }) => go({ ordem: PEOPLE_ORDERS.find((order) => order === target.value) })}
        />
      )}
      <Button look="secondary" icon={Columns3} onClick={onColumns}>
        {t.columns}
      </Button>
      <Button look="secondary" icon={ListFilter} onClick={onSegments}>
        {segmentsText.title}
      </Button>
      {edit && !narrow && (
        <Button icon={edit.on ? Check : PencilLine} aria-pressed={edit.on} onClick={edit.toggle}>
          {edit.on ? t.endEdit : t.edit}
        </Button>
      )}
      <DownloadButton
        icon={Download}
        download
        href={fileAddress("/api/people/export", { query: scopeOf(address) })}
      >
        {t.export}
      </DownloadButton>
    </div>
  );
}
