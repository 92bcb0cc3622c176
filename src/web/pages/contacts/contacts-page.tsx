import { Download, Upload, UserPlus, Users, UserX } from "lucide-react";
import { useCallback, useState } from "react";
import type { ContactListCard } from "../../../contract/contacts.ts";
import { Button } from "../../components/button.tsx";
import { EmptyState } from "../../components/empty-state.tsx";
import { Fault } from "../../components/fault.tsx";
import { Page } from "../../components/page.tsx";
import { SearchBox } from "../../components/search-box.tsx";
import { commonText } from "../../messages/common.ts";
import { contactsText as t } from "../../messages/contacts.ts";
import { optOutsText } from "../../messages/opt-outs.ts";
import { DeleteListDialog } from "./delete-list-dialog.tsx";
import { ExportDialog } from "./export-dialog.tsx";
import { ImportDialog } from "./import-dialog.tsx";
import { ListCards, ListCardsSkeleton } from "./list-cards.tsx";
import { NewContactDialog } from "./new-contact-dialog.tsx";
import { OptOutsDialog } from "./opt-outs-dialog.tsx";
import { RunningImports } from "./running-imports.tsx";
import { useContactLists } from "./use-contact-lists.ts";
import { useOptOuts } from "./use-opt-outs.ts";
import "./contacts.css";

type Open =
  | { dialog: "import"; following?: number }
  | { dialog: "export" }
  | { dialog: "new" }
  | { dialog: "opt-outs" }
  | { dialog: "delete"; list: ContactListCard }
  | null;

export function ContactsPage() {
  const [search, setSearch] = useState("");
  const [open, setOpen] = useState<Open>(null);
  const query = useContactLists(search);
  const left = useOptOuts("");
  const close = useCallback(() => setOpen(null), []);
  const none = query.isSuccess && query.lists.length === 0 && search === "";
  return (
    <Page
      title={t.title}
      fact={query.isSuccess && search === "" ? fact(query.lists, query.hasNextPage) : <>&nbsp;</>}
      actions={
        <>
          <Button icon={Upload} onClick={() => setOpen({ dialog: "import" })}>
            {t.import}
          </Button>
          <Button icon={Download} onClick={() => setOpen({ dialog: "export" })}>
            {t.export}
          </Button>
          <Button
            look={none ? "secondary" : "primary"}
            icon={UserPlus}
            className="grow2"
            onClick={() => setOpen({ dialog: "new" })}
          >
            {t.newContact}
          </Button>
        </>
      }
    >
      <div className="toolbar">
        <SearchBox label={t.search} placeholder={t.searchPlaceholder} value={search} onChange={setSearch} />
        <Button look="ghost" icon={UserX} onClick={() => setOpen({ dialog: "opt-outs" })}>
          {optOutsText.open(left.total)}
        </Button>
      </div>
      <RunningImports onShow={(following) => setOpen({ dialog: "import", following })} />
      <Lists
        query={query}
        search={search}
        onClear={() => setSearch("")}
        onImport={() => setOpen({ dialog: "import" })}
        onDelete={(list) => setOpen({ dialog: "delete", list })}
      />
      {open?.dialog === "import" && <ImportDialog onClose={close} following={open.following} />}
      {open?.dialog === "export" && <ExportDialog onClose={close} />}
      {open?.dialog === "new" && <NewContactDialog onClose={close} />}
      {open?.dialog === "opt-outs" && <OptOutsDialog onClose={close} />}
      {open?.dialog === "delete" && <DeleteListDialog list={open.list} onClose={close} />}
    </Page>
  );
}

function fact(lists: readonly ContactListCard[], more: boolean): string {
  if (lists.length === 0) return t.factEmpty;
  if (more) return t.factMore(lists.length);
  return t.fact(
    lists.length,
    lists.reduce((sum, list) => sum + list.count, 0),
  );
}

type ListsProps = {
  query: ReturnType<typeof useContactLists>;
  search: string;
  onClear: () => void;
  onImport: () => void;
  onDelete: (list: ContactListCard) => void;
};

function Lists({ query, search, onClear, onImport, onDelete }: ListsProps) {
  if (query.isPending) return <ListCardsSkeleton />;
  if (query.error && query.lists.length === 0)
    return (
      <Fault title={t.failed} error={query.error} onRetry={() => query.refetch()} busy={query.isFetching} />
    );
  if (query.lists.length === 0 && search !== "")
    return (
      <EmptyState icon={Users} title={t.nothing.title} text={t.nothing.text(search)}>
        <Button onClick={onClear}>{commonText.clearSearch}</Button>
      </EmptyState>
    );
  if (query.lists.length === 0)
    return (
      <EmptyState icon={Users} title={t.empty.title} text={t.empty.text}>
        <Button look="primary" onClick={onImport}>
          {t.empty.action}
        </Button>
      </EmptyState>
    );
  return (
    <>
      <ListCards lists={query.lists} onDelete={onDelete} />
      {query.hasNextPage && (
        <div className="mt-6 flex justify-center">
          <Button busy={query.isFetchingNextPage} onClick={() => query.fetchNextPage()}>
            {t.more}
          </Button>
        </div>
      )}
    </>
  );
}
