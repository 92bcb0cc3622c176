import { useInfiniteQuery } from "@tanstack/react-query";
import { getRouteApi } from "@tanstack/react-router";
import { clsx } from "clsx";
import { MessageSquareText, Pencil, Plus, SearchX, Trash2 } from "lucide-react";
import { lazy, Suspense, useState } from "react";
import type { MessageTemplate } from "../../../contract/library.ts";
import { useMe } from "../../api/me.ts";
import { templatesQuery } from "../../api/templates.ts";
import { formatNear } from "../../messages/format.ts";
import { libraryText as t } from "../../messages/library.ts";
import { libraryAddress } from "../../routes/library.ts";
import { useReplaceSearch } from "../../routes/use-replace-search.ts";
import { AttachmentLine } from "../../ui/attachment-line.tsx";
import { Button } from "../../ui/button.tsx";
import cardStyles from "../../ui/card.module.css";
import { EmptyState } from "../../ui/empty-state.tsx";
import { QueryError } from "../../ui/error-notice.tsx";
import { IconButton } from "../../ui/icon-button.tsx";
import layoutStyles from "../../ui/layout.module.css";
import { MoreButton } from "../../ui/more-button.tsx";
import pageStyles from "../../ui/page.module.css";
import { Page } from "../../ui/page.tsx";
import { SearchBox } from "../../ui/search-box.tsx";
import { Bone, Skeleton } from "../../ui/skeleton.tsx";
import textStyles from "../../ui/text.module.css";
import { CutLine } from "../../ui/tooltip.tsx";
import { WhatsappExcerpt } from "../../ui/whatsapp-text.tsx";
import styles from "./library-page.module.css";
import { RemoveTemplateDialog } from "./remove-template-dialog.tsx";

const TemplateDialog = lazy(async () => ({
  default: (await import("../../library/template-dialog.tsx")).TemplateDialog,
}));

const route = getRouteApi("/shell/mensagens");

type Open = { dialog: "edit" | "remove"; template: MessageTemplate } | { dialog: "add" };

export function LibraryPage() {
  const { busca = "" } = route.useSearch();
  const replace = useReplaceSearch("/shell/mensagens", libraryAddress);
  const query = useInfiniteQuery(templatesQuery(busca));
  const [open, setOpen] = useState<Open | null>(null);
  const close = () => setOpen(null);
  const templates = query.data?.pages.flatMap((page) => page.items);
  const found = query.data?.pages[0]?.found;
  const none = busca === "" && found === 0;
  const add = (
    <Button look="primary" icon={Plus} onClick={() => setOpen({ dialog: "add" })}>
      {t.add}
    </Button>
  );
  return (
    <Page
      title={t.title}
      fact={found === undefined ? <>&nbsp;</> : none ? t.factEmpty : t.fact(found)}
      actions={none ? null : add}
    >
      {!none && (
        <div className={pageStyles.toolbar}>
          <SearchBox
            label={t.search}
            placeholder={t.searchPlaceholder}
            value={busca}
            onChange={(words) => replace(() => ({ busca: words }))}
          />
        </div>
      )}
      {query.error && !query.isFetchNextPageError && <QueryError title={t.failed} query={query} />}
      {query.isPending && <TemplatesSkeleton />}
      {none && (
        <EmptyState icon={MessageSquareText} title={t.empty.title} text={t.empty.text}>
          {add}
        </EmptyState>
      )}
      {busca !== "" && found === 0 && (
        <EmptyState found icon={SearchX} title={t.nothing(busca)} text={t.nothingText} />
      )}
      {templates && templates.length > 0 && <Templates templates={templates} onOpen={setOpen} />}
      <MoreButton key={busca} query={query} failed={t.failed} label={t.more} className={styles.more} />
      {open?.dialog === "add" && (
        <Suspense>
          <TemplateDialog template={null} onClose={close} />
        </Suspense>
      )}
      {open?.dialog === "edit" && (
        <Suspense>
          <TemplateDialog template={open.template} onClose={close} />
        </Suspense>
      )}
      {open?.dialog === "remove" && <RemoveTemplateDialog template={open.template} onClose={close} />}
    </Page>
  );
}

type TemplatesProps = { templates: readonly MessageTemplate[]; onOpen: (open: Open) => void };

function Templates({ templates, onOpen }: TemplatesProps) {
  const { timeZone } = useMe();
  return (
    <ul className={clsx(cardStyles.tiles, styles.templates)} aria-label={t.title}>
      {templates.map((template) => (
        <li key={template.id} className={clsx(cardStyles.card, cardStyles.tile, styles.template)}>
          <h2>
            <CutLine text={template.name} />
          </h2>
          {template.attachment && <AttachmentLine file={template.attachment} />}
          <p className={clsx(textStyles.lines, styles.excerpt)} title={template.text}>
            <WhatsappExcerpt text={template.text} />
          </p>
          <div className={cardStyles.tileFoot}>
            <span className={textStyles.quiet}>{t.changed(formatNear(template.updatedAt, timeZone))}</span>
            <span className={layoutStyles.push}>
              <IconButton
                label={t.editLabel(template.name)}
                icon={Pencil}
                onClick={() => onOpen({ dialog: "edit", template })}
              />
              <IconButton
                label={t.removeLabel(template.name)}
                icon={Trash2}
                onClick={() => onOpen({ dialog: "remove", template })}
              />
            </span>
          </div>
        </li>
      ))}
    </ul>
  );
}

function TemplatesSkeleton() {
  return (
    <Skeleton className={cardStyles.tiles}>
      {["a", "b"].map((tile) => (
        <div key={tile} className={clsx(cardStyles.card, cardStyles.tile)}>
          <Bone width="50%" height="14px" />
          <Bone width="90%" style={{ marginTop: 14 }} />
          <Bone width="70%" style={{ marginTop: 8 }} />
        </div>
      ))}
    </Skeleton>
  );
}
