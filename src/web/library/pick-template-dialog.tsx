import { useInfiniteQuery } from "@tanstack/react-query";
import { clsx } from "clsx";
import { useState } from "react";
import type { MessageTemplate } from "../../contract/library.ts";
import { templatesQuery } from "../api/templates.ts";
import { commonText } from "../messages/common.ts";
import { libraryText } from "../messages/library.ts";
import { AttachmentLine } from "../ui/attachment-line.tsx";
import { Button } from "../ui/button.tsx";
import { Dialog } from "../ui/dialog.tsx";
import { QueryError } from "../ui/error-notice.tsx";
import layoutStyles from "../ui/layout.module.css";
import { MoreButton } from "../ui/more-button.tsx";
import { SearchBox } from "../ui/search-box.tsx";
import { Bone, Skeleton } from "../ui/skeleton.tsx";
import textStyles from "../ui/text.module.css";
import { WhatsappExcerpt } from "../ui/whatsapp-text.tsx";
import styles from "./library.module.css";

const t = libraryText.pick;

type Props = { context: string; onPick: (template: MessageTemplate) => void; onClose: () => void };

export function PickTemplateDialog({ context, onPick, onClose }: Props) {
  const [search, setSearch] = useState("");
  const query = useInfiniteQuery(templatesQuery(search));
  const items = query.data?.pages.flatMap((page) => page.items);
  return (
    <Dialog
      title={t.title}
      context={context}
      size="mid"
      onClose={onClose}
      foot={<Button onClick={onClose}>{commonText.cancel}</Button>}
    >
      <SearchBox
        label={libraryText.search}
        placeholder={libraryText.searchPlaceholder}
        value={search}
        onChange={setSearch}
      />
      {query.error && !items && <QueryError title={libraryText.failed} query={query} />}
      {query.isPending && (
        <Skeleton>
          <Bone height="2.75rem" />
        </Skeleton>
      )}
      {items?.length === 0 && (
        <p className={textStyles.quiet} role="status">
          {search === "" ? t.none : libraryText.nothing(search)}
        </p>
      )}
      {items && items.length > 0 && (
        <ul className={styles.picks}>
          {items.map((template) => (
            <li key={template.id}>
              <button
                type="button"
                onClick={() => {
                  onPick(template);
                  onClose();
                }}
              >
                <b className={textStyles.clip} data-ui="clip">
                  {template.name}
                </b>
                {template.attachment && <AttachmentLine file={template.attachment} />}
                <span className={clsx(textStyles.lines, styles.excerpt)}>
                  <WhatsappExcerpt text={template.text} />
                </span>
              </button>
            </li>
          ))}
        </ul>
      )}
      <MoreButton
        query={query}
        failed={libraryText.failed}
        label={libraryText.more}
        className={layoutStyles.centre}
      />
    </Dialog>
  );
}
