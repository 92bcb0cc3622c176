import { getRouteApi } from "@tanstack/react-router";
import { clsx } from "clsx";
import { Download, LogOut, Table2, Upload, UserPlus, Users, UserX } from "lucide-react";
import { lazy, type ReactNode, Suspense, useCallback } from "react";
import type { ContactListCard } from "../../../contract/contacts.ts";
import { ApiError } from "../../api/api-error.ts";
import { restoreFocus } from "../../lib/restore-focus.ts";
import { commonText } from "../../messages/common.ts";
import { contactsText as t } from "../../messages/contacts.ts";
import { leavingRequestsText } from "../../messages/leaving-requests.ts";
import { optOutsText } from "../../messages/opt-outs.ts";
import { peopleText } from "../../messages/people.ts";
import { Button } from "../../ui/button.tsx";
import { ClearButton } from "../../ui/clear-button.tsx";
import { EmptyState } from "../../ui/empty-state.tsx";
import { QueryError } from "../../ui/error-notice.tsx";
import layoutStyles from "../../ui/layout.module.css";
import { LinkButton } from "../../ui/link-button.tsx";
import { MoreButton } from "../../ui/more-button.tsx";
import { Notice } from "../../ui/notice.tsx";
import pageStyles from "../../ui/page.module.css";
import { Page } from "../../ui/page.tsx";
import { SearchBox } from "../../ui/search-box.tsx";
import textLinkStyles from "../../ui/text-link.module.css";
import { useRestoredDialog } from "../../ui/use-draft.ts";
import { useRefetchError } from "../../ui/use-refetch-error.ts";
import styles from "./contacts.module.css";
import { DeleteListDialog } from "./delete-list-dialog.tsx";
import { ExportDialog } from "./export-dialog.tsx";
import { foundIn } from "./found.ts";
import { ImportDialog } from "./import-dialog.tsx";
import { ListCards, ListCardsSkeleton } from "./list-cards.tsx";
import { NewContactDialog } from "./new-contact-dialog.tsx";
import { RunningImports } from "./running-imports.tsx";
import { useAddress } from "./use-address.ts";
import { useContactLists } from "./use-contact-lists.ts";
import { useImports } from "./use-imports.ts";
import { useOptOutCount } from "./use-opt-outs.ts";

const OptOutsDialog = lazy(async () => ({
  default: (await import("./opt-outs-dialog.tsx")).OptOutsDialog,
}));

type Open =
  | { dialog: "import"; following?: number }
  | { dialog: "export" }
  | { dialog: "new" }
  | { dialog: "opt-outs" }
  | { dialog: "delete"; list: ContactListCard };

const route = getRouteApi("/shell/contacts");

export function ContactsPage() {
  const address = route.useSearch();
  const { busca: search = "", lista } = address;
  const go = useAddress();
  const [opened, setOpen] = useRestoredDialog<Open>("contacts");
  const open: Open | null = opened ?? (address.abrir ? { dialog: "import" } : null);
  const query = useContactLists(address);
  const left = useOptOutCount();
  const imports = useImports();
  const close = useCallback(() => {
    setOpen(null);
    go({ abrir: undefined });
  }, [go, setOpen]);
  const setSearch = useCallback((busca: string) => go({ busca }), [go]);
  const all = search === "" && lista === undefined;
  const none = query.isSuccess && !query.isPlaceholderData && query.lists.length === 0 && all;
  return (
    <Page
      title={t.title}
      fact={factOf(query, all)}
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
            className={pageStyles.grow2}
            onClick={() => setOpen({ dialog: "new" })}
          >
            {t.newContact}
          </Button>
        </>
      }
    >
      <div className={clsx(pageStyles.toolbar, styles.contactsTools)}>
        <SearchBox label={t.search} placeholder={t.searchPlaceholder} value={search} onChange={setSearch} />
        {left.data !== undefined && left.data.undecided > 0 && (
          <Button look="secondary" icon={LogOut} onClick={() => setOpen({ dialog: "opt-outs" })}>
            {leavingRequestsText.open(left.data.undecided)}
          </Button>
        )}
        <LinkButton look="ghost" icon={Table2} to="/contacts/pessoas" search={{}}>
          {peopleText.open}
        </LinkButton>
        <Button look="ghost" icon={UserX} onClick={() => setOpen({ dialog: "opt-outs" })}>
          {optOutsText.open(left.data?.total ?? 0)}
        </Button>
      </div>
      {lista !== undefined && (
        <OneList query={query} onAll={() => go({ lista: undefined, busca: undefined })} />
      )}
      <RunningImports
        imports={imports}
        covered={open?.dialog === "import"}
        onShow={(following) => setOpen({ dialog: "import", following })}
      />
      <Lists
        query={query}
        search={search}
        onClear={() => go({ busca: undefined })}
        onImport={() => setOpen({ dialog: "import" })}
        onDelete={(list) => setOpen({ dialog: "delete", list })}
      />
      {open?.dialog === "import" && (
        <ImportDialog onClose={close} following={open.following} onRead={imports.noteRead} />
      )}
      {open?.dialog === "export" && <ExportDialog onClose={close} />}
      {open?.dialog === "new" && <NewContactDialog onClose={close} />}
      {open?.dialog === "opt-outs" && (
        <Suspense fallback={null}>
          <OptOutsDialog onClose={close} />
        </Suspense>
      )}
      {open?.dialog === "delete" && (
        <DeleteListDialog
          list={query.lists.find(({ id }) => id === open.list.id) ?? open.list}
          onClose={close}
        />
      )}
    </Page>
  );
}

function OneList({ query, onAll }: { query: Query; onAll: () => void }) {
  const gone = query.error instanceof ApiError && query.error.code === "not_found";
  return (
    <div className={layoutStyles.below5}>
      <Notice tone={gone ? "warning" : "info"}>
        {gone ? t.listGone : t.oneList}{" "}
        <button
          type="button"
          className={textLinkStyles.link}
          onClick={(event) => {
            restoreFocus(event)();
            onAll();
          }}
        >
          {t.allLists}
        </button>
      </Notice>
    </div>
  );
}

type Query = ReturnType<typeof useContactLists>;

function factOf({ total, lists, hasNextPage }: Query, all: boolean): ReactNode {
  if (all && total) return total.lists === 0 ? t.factEmpty : t.fact(total.lists, total.contacts);
  return <span role="status">{foundIn(lists, hasNextPage)}</span>;
}

type ListsProps = {
  query: Query;
  search: string;
  onClear: () => void;
  onImport: () => void;
  onDelete: (list: ContactListCard) => void;
};

function Lists({ query, search, onClear, onImport, onDelete }: ListsProps) {
  const old = useRefetchError(query);
  if (query.error instanceof ApiError && query.error.code === "not_found") return null;
  // The previous search was empty; this one may not be.
  if (query.isPending || (query.isPlaceholderData && query.lists.length === 0)) return <ListCardsSkeleton />;
  if (query.error && query.lists.length === 0) return <QueryError title={t.failed} query={query} />;
  if (query.lists.length === 0 && search !== "")
    return (
      <EmptyState found icon={Users} title={t.nothing.title} text={t.nothing.text(search)}>
        <ClearButton onClear={onClear}>{commonText.clearSearch}</ClearButton>
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
      {old && (
        <div className={layoutStyles.below4}>
          <QueryError title={t.failed} query={query} />
        </div>
      )}
      <ListCards lists={query.lists} onDelete={onDelete} />
      <MoreButton
        key={search}
        query={query}
        failed={t.failed}
        label={t.more}
        className={clsx(layoutStyles.centre, layoutStyles.top6)}
      />
    </>
  );
}
