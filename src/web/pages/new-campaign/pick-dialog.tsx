import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { ListFilter, Megaphone, Plus, Users } from "lucide-react";
import { lazy, type ReactNode, Suspense, useState } from "react";
import { api } from "../../api/call.ts";
import { listsMenuQuery } from "../../api/contacts.ts";
import { useMe } from "../../api/me.ts";
import { segmentsQuery } from "../../api/segments.ts";
import { folded } from "../../lib/folded.ts";
import { listName } from "../../lib/list-name.ts";
import { audienceText } from "../../messages/audience.ts";
import { commonText } from "../../messages/common.ts";
import { formatDate, formatNumber } from "../../messages/format.ts";
import { Button } from "../../ui/button.tsx";
import { Dialog } from "../../ui/dialog.tsx";
import { QueryError } from "../../ui/error-notice.tsx";
import { Icon, type LucideIcon } from "../../ui/icon.tsx";
import layoutStyles from "../../ui/layout.module.css";
import { SearchBox } from "../../ui/search-box.tsx";
import textStyles from "../../ui/text.module.css";
import type { SourceKind } from "./audience-edit.ts";
import styles from "./ledger.module.css";

const SegmentDialog = lazy(async () => ({
  default: (await import("../../audience/segment-dialog.tsx")).SegmentDialog,
}));

const t = audienceText.pick;
const CAMPAIGNS = 100;

type Entry = { id: number; name: string; fact: string; disabled?: boolean };

type Group = { label: string; icon: LucideIcon; entries: readonly Entry[]; onPick: (id: number) => void };

const matching = (entries: readonly Entry[], search: string) =>
  entries.filter(({ name }) => folded(name).includes(folded(search)));

function Groups({ groups, search }: { groups: readonly Group[]; search: string }) {
  const found = groups.filter(({ entries }) => entries.length > 0);
  if (found.length === 0) return <p className={textStyles.quiet}>{search === "" ? t.none : t.nothing}</p>;
  return found.map(({ label, icon, entries, onPick }) => (
    <section key={label} aria-label={label} className={styles.picks}>
      {groups.length > 1 && <h3>{label}</h3>}
      <ul>
        {entries.map(({ id, name, fact, disabled }) => (
          <li key={id}>
            <button type="button" disabled={disabled} onClick={() => onPick(id)}>
              <Icon of={icon} sm />
              <span>{name}</span>
              <span>{fact}</span>
            </button>
          </li>
        ))}
      </ul>
    </section>
  ));
}

type FrameProps = {
  title: string;
  search: string;
  onSearch: (search: string) => void;
  onClose: () => void;
  foot?: ReactNode;
  children: ReactNode;
};

function PickFrame({ title, search, onSearch, onClose, foot, children }: FrameProps) {
  return (
    <Dialog
      title={title}
      onClose={onClose}
      foot={
        <>
          {foot}
          <Button onClick={onClose}>{commonText.cancel}</Button>
        </>
      }
    >
      <SearchBox label={t.search} placeholder={t.search} value={search} onChange={onSearch} />
      {children}
    </Dialog>
  );
}

const useListEntries = (taken: readonly number[], search: string) => {
  const query = useQuery(listsMenuQuery);
  const entries = (query.data ?? [])
    .filter(({ id }) => !taken.includes(id))
    .map((list) => ({ id: list.id, name: listName(list), fact: formatNumber(list.count) }));
  return { query, entries: matching(entries, search) };
};

type SourceProps = {
  lists: readonly number[];
  segments: readonly number[];
  onPick: (kind: SourceKind, id: number) => void;
  onClose: () => void;
};

export function SourcePickDialog({ lists: taken, segments: used, onPick, onClose }: SourceProps) {
  const [search, setSearch] = useState("");
  const [fresh, setFresh] = useState(false);
  const lists = useListEntries(taken, search);
  const segments = useQuery(segmentsQuery);
  const entries = (segments.data ?? [])
    .filter(({ id }) => !used.includes(id))
    .map(({ id, name, broken }) => ({ id, name, fact: broken ? t.broken : "", disabled: broken }));
  return (
    <PickFrame
      title={t.source}
      search={search}
      onSearch={setSearch}
      onClose={onClose}
      foot={
        <Button look="ghost" icon={Plus} className={layoutStyles.start} onClick={() => setFresh(true)}>
          {t.newSegment}
        </Button>
      }
    >
      {lists.query.error && <QueryError title={t.listsFailed} query={lists.query} />}
      {segments.error && <QueryError title={t.segmentsFailed} query={segments} />}
      {lists.query.data && segments.data && (
        <Groups
          search={search}
          groups={[
            { label: t.lists, icon: Users, entries: lists.entries, onPick: (id) => onPick("list", id) },
            {
              label: t.segments,
              icon: ListFilter,
              entries: matching(entries, search),
              onPick: (id) => onPick("segment", id),
            },
          ]}
        />
      )}
      {fresh && (
        <Suspense fallback={null}>
          <SegmentDialog
            segment={null}
            onSaved={({ id }) => onPick("segment", id)}
            onClose={() => setFresh(false)}
          />
        </Suspense>
      )}
    </PickFrame>
  );
}

type PickProps = { taken: readonly number[]; onPick: (id: number) => void; onClose: () => void };

export function ListPickDialog({ taken, onPick, onClose }: PickProps) {
  const [search, setSearch] = useState("");
  const { query, entries } = useListEntries(taken, search);
  return (
    <PickFrame title={t.withoutList} search={search} onSearch={setSearch} onClose={onClose}>
      {query.error && <QueryError title={t.listsFailed} query={query} />}
      {query.data && <Groups search={search} groups={[{ label: t.lists, icon: Users, entries, onPick }]} />}
    </PickFrame>
  );
}

export function CampaignPickDialog({ taken, onPick, onClose }: PickProps) {
  const { timeZone } = useMe();
  const [search, setSearch] = useState("");
  const query = useQuery({
    queryKey: ["campaigns", "pick", search],
    queryFn: ({ signal }) =>
      api("GET /api/campaigns", {
        query: { limit: CAMPAIGNS, ...(search === "" ? {} : { search }) },
        signal,
      }),
    placeholderData: keepPreviousData,
  });
  const entries = (query.data?.items ?? [])
    .filter(({ id, status }) => status !== "draft" && !taken.includes(id))
    .map(({ id, name, date }) => ({ id, name, fact: formatDate(date, timeZone) }));
  return (
    <PickFrame title={t.withoutCampaign} search={search} onSearch={setSearch} onClose={onClose}>
      {query.error && <QueryError title={t.campaignsFailed} query={query} />}
      {query.data && (
        <Groups search={search} groups={[{ label: t.campaigns, icon: Megaphone, entries, onPick }]} />
      )}
    </PickFrame>
  );
}
