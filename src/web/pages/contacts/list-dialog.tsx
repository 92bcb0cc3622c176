import { Table2, UserX } from "lucide-react";
import { useState } from "react";
import type { ContactListCard, ListedContact } from "../../../contract/contacts.ts";
import { PART } from "../../api/paged-rows.ts";
import { listName } from "../../lib/list-name.ts";
import { scaled } from "../../lib/text-size.ts";
import { commonText } from "../../messages/common.ts";
import { contactsText } from "../../messages/contacts.ts";
import { leavingRequestsText } from "../../messages/leaving-requests.ts";
import { optOutsText } from "../../messages/opt-outs.ts";
import { pagedRowsText, listPeopleText as t } from "../../messages/paged-rows.ts";
import { peopleText } from "../../messages/people.ts";
import { Badge } from "../../ui/badge.tsx";
import { Button } from "../../ui/button.tsx";
import { Dialog } from "../../ui/dialog.tsx";
import { ErrorNotice } from "../../ui/error-notice.tsx";
import layoutStyles from "../../ui/layout.module.css";
import { LinkButton } from "../../ui/link-button.tsx";
import { VirtualRows } from "../../ui/row-parts.tsx";
import { SearchBox } from "../../ui/search-box.tsx";
import { Bone } from "../../ui/skeleton.tsx";
import { TalkLink } from "../../ui/talk-link.tsx";
import textStyles from "../../ui/text.module.css";
import { CutLine } from "../../ui/tooltip.tsx";
import { useTiny } from "../../ui/use-narrow.ts";
import { VirtualList } from "../../ui/virtual-list.tsx";
import styles from "./list-dialog.module.css";
import { useEverybodyOfList, useFoundInList } from "./use-list-people.ts";

/** The same height as in list-dialog.css. */
const ROW = scaled(53);
const TINY_ROW = scaled(100);

type Props = { list: ContactListCard; words: string; onClose: () => void };

export function ListDialog({ list, words, onClose }: Props) {
  const [search, setSearch] = useState(words);
  const [from, setFrom] = useState(0);
  const everybody = useEverybodyOfList(list, from, search === "");
  const found = useFoundInList(list.id, search);
  const rows = search === "" ? everybody : found.rows;
  const height = useTiny() ? TINY_ROW : ROW;
  const { count } = list;
  return (
    <Dialog
      title={listName(list)}
      context={contactsText.count(count)}
      size="mid"
      onClose={onClose}
      foot={
        <>
          <LinkButton icon={Table2} to="/contacts/pessoas" search={{ lista: list.id }}>
            {peopleText.openList}
          </LinkButton>
          <Button onClick={onClose}>{commonText.close}</Button>
        </>
      }
    >
      <SearchBox label={t.search} placeholder={t.searchPlaceholder} value={search} onChange={setSearch} />
      {rows.error !== null && <ErrorNotice title={t.failed} error={rows.error} onRetry={rows.retry} />}
      {!rows.blank && (
        <div>
          <VirtualList
            key={`${search}|${from}`}
            label={t.people}
            className={styles.listPeople}
            rows={rows}
            height={height}
            first={search === "" ? from : 0}
            whole={search === "" ? count : found.more ? -1 : rows.count}
            nothing={t.nothing(search)}
          >
            {drawn}
          </VirtualList>
          {search === "" && count > PART && <VirtualRows total={count} from={from} onGo={setFrom} />}
        </div>
      )}
    </Dialog>
  );
}

const drawn = (person: ListedContact | undefined) => <Person person={person} />;

function Person({ person }: { person: ListedContact | undefined }) {
  if (!person)
    return (
      <>
        <span className={layoutStyles.srOnly}>{pagedRowsText.loadingRow}</span>
        <Bone width="45%" />
        <Bone width="28%" />
      </>
    );
  return (
    <>
      {person.name ? (
        <CutLine text={person.name} />
      ) : (
        <span className={textStyles.muted}>{contactsText.noName}</span>
      )}
      {person.optedOut && (
        <Badge tone="quiet" icon={UserX} low>
          {person.asksToLeave ? leavingRequestsText.badge : optOutsText.badge}
        </Badge>
      )}
      <span className={styles.phone}>
        <TalkLink phone={person.phone} name={person.name || contactsText.noName} />
      </span>
    </>
  );
}
