import { useQuery } from "@tanstack/react-query";
import { getRouteApi, useNavigate } from "@tanstack/react-router";
import { Copy, LayoutGrid, Pencil, UserPlus } from "lucide-react";
import { lazy, Suspense, useCallback, useState } from "react";
import { ApiError } from "../../api/api-error.ts";
import { listsMenuQuery } from "../../api/contacts.ts";
import { fieldsQuery, listQuery } from "../../api/people.ts";
import { listName } from "../../lib/list-name.ts";
import { peopleText as t } from "../../messages/people.ts";
import { type PeopleAddress, peopleAddress } from "../../routes/people.ts";
import { useReplaceSearch } from "../../routes/use-replace-search.ts";
import { Button } from "../../ui/button.tsx";
import cardStyles from "../../ui/card.module.css";
import { QueryError } from "../../ui/error-notice.tsx";
import layoutStyles from "../../ui/layout.module.css";
import { LinkButton } from "../../ui/link-button.tsx";
import { Menu } from "../../ui/menu.tsx";
import { Notice } from "../../ui/notice.tsx";
import { Page } from "../../ui/page.tsx";
import { TextLink } from "../../ui/text-link.tsx";
import { useRefetchError } from "../../ui/use-refetch-error.ts";
import { ColumnsDialog } from "./columns-dialog.tsx";
import { ListNav } from "./list-nav.tsx";
import { DuplicateListDialog, RenameListDialog } from "./naming-dialog.tsx";
import styles from "./people.module.css";
import { PeopleRows } from "./people-rows.tsx";
import { PeopleTable } from "./people-table.tsx";
import { PeopleTools, type Wish } from "./people-tools.tsx";
import { AddPersonDialog } from "./person-dialog.tsx";
import { SelectionBar } from "./selection-bar.tsx";
import { useColumns } from "./use-columns.ts";
import { usePeople } from "./use-people.ts";
import { useSelection } from "./use-selection.ts";

const SegmentsDialog = lazy(async () => ({
  default: (await import("../../audience/segments-dialog.tsx")).SegmentsDialog,
}));

const route = getRouteApi("/shell/contacts/pessoas");

type Open = "add" | "columns" | "segments" | "rename" | "duplicate";
type List = { id: number; name: string };

export function PeoplePage() {
  const address = route.useSearch();
  const { lista } = address;
  const [open, setOpen] = useState<Open | null>(null);
  const close = () => setOpen(null);
  const lists = useQuery(listsMenuQuery);
  const list = useShownList(lista);
  const fields = useQuery(fieldsQuery);
  const columns = useColumns();
  const navigate = useNavigate();
  const people = usePeople(address);
  const title = lista === undefined ? t.all : list.data ? listName(list.data) : t.list;
  return (
    <Page
      title={title}
      fact={people.total === null || list.gone ? <>&nbsp;</> : t.count(people.total)}
      actions={<Actions list={list.data} onOpen={setOpen} />}
    >
      <div className={styles.split}>
        <ListNav lists={lists.data ?? []} chosen={lista} />
        {list.gone ? (
          <Notice tone="warning">
            {t.listGone}{" "}
            <TextLink to="/contacts/pessoas" search={{}}>
              {t.all}
            </TextLink>
          </Notice>
        ) : (
          <People
            address={address}
            people={people}
            lists={lists.data ?? []}
            list={list.data}
            fields={fields}
            columns={columns}
            onOpen={setOpen}
          />
        )}
      </div>
      {open === "add" && (
        <AddPersonDialog fields={fields.data ?? []} lists={lists.data ?? []} listId={lista} onClose={close} />
      )}
      {open === "segments" && (
        <Suspense fallback={null}>
          <SegmentsDialog onClose={close} />
        </Suspense>
      )}
      {open === "columns" && <ColumnsDialog columns={columns} onClose={close} />}
      {open === "rename" && list.data && <RenameListDialog list={list.data} onClose={close} />}
      {open === "duplicate" && list.data && (
        <DuplicateListDialog
          list={list.data}
          onDone={(copy) => void navigate({ to: "/contacts/pessoas", search: { lista: copy } })}
          onClose={close}
        />
      )}
    </Page>
  );
}

function useShownList(id: number | undefined): { data: List | null; gone: boolean } {
  const query = useQuery({ ...listQuery(id ?? 0), enabled: id !== undefined });
  const gone = query.error instanceof ApiError && query.error.code === "not_found";
  return { data: id === undefined || gone ? null : (query.data ?? null), gone };
}

function Actions({ list, onOpen }: { list: List | null; onOpen: (open: Open) => void }) {
  return (
    <>
      <LinkButton icon={LayoutGrid} to="/contacts">
        {t.backToLists}
      </LinkButton>
      <Button look="primary" icon={UserPlus} onClick={() => onOpen("add")}>
        {t.add}
      </Button>
      {list && (
        <div className={styles.menu}>
          <Menu
            label={t.listMenu}
            entries={[
              { label: t.rename, icon: Pencil, onSelect: () => onOpen("rename") },
              { label: t.duplicate, icon: Copy, onSelect: () => onOpen("duplicate") },
            ]}
          />
        </div>
      )}
    </>
  );
}

type PeopleProps = {
  address: PeopleAddress;
  people: ReturnType<typeof usePeople>;
  lists: readonly List[];
  list: List | null;
  fields: Pick<ReturnType<typeof useFields>, "data" | "error" | "refetch" | "isFetching">;
  columns: ReturnType<typeof useColumns>;
  onOpen: (open: Open) => void;
};

const useFields = () => useQuery(fieldsQuery);

function People({ address, people, lists, list, fields, columns, onOpen }: PeopleProps) {
  const replace = useReplaceSearch("/shell/contacts/pessoas", peopleAddress);
  const go = useCallback((wish: Wish) => replace((before) => ({ ...before, ...wish })), [replace]);
  const setSearch = useCallback((busca: string) => go({ busca }), [go]);
  const selecting = useSelection(address);
  const [editing, setEditing] = useState(false);
  const { query, rows } = people;
  const old = useRefetchError(query);
  const chosen = selecting.all || selecting.count !== 0;
  return (
    <div className={cardStyles.card}>
      <PeopleTools
        address={address}
        lists={lists}
        go={go}
        onSearch={setSearch}
        onColumns={() => onOpen("columns")}
        onSegments={() => onOpen("segments")}
        edit={fields.data?.length ? { on: editing, toggle: () => setEditing(!editing) } : null}
      />
      {chosen && <SelectionBar address={address} list={list} selecting={selecting} />}
      {fields.error && (
        <div className={layoutStyles.pad4}>
          <QueryError title={t.fields.failed} query={fields} />
        </div>
      )}
      {old && (
        <div className={layoutStyles.pad4}>
          <QueryError title={t.failed} query={query} />
        </div>
      )}
      <PeopleRows
        address={address}
        people={people}
        onClear={() => go({ busca: undefined })}
        table={
          <PeopleTable
            key={JSON.stringify(address)}
            rows={rows}
            whole={query.hasNextPage ? -1 : rows.length}
            fields={fields.data ?? []}
            columns={columns}
            order={address.ordem ?? "nome"}
            onOrder={(ordem) => go({ ordem })}
            selecting={selecting}
            editing={editing}
            see={people.see}
          />
        }
      />
    </div>
  );
}
