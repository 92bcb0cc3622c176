import { clsx } from "clsx";
import { useEffect, useRef, useState } from "react";
import type { Campaign } from "../../../../contract/campaigns.ts";
import { SHOWN_DELIVERIES, type ShownDelivery } from "../../../../domain/campaign.ts";
import { useMe } from "../../../api/me.ts";
import { PART } from "../../../api/paged-rows.ts";
import { deliveryName } from "../../../messages/deliveries.ts";
import { detailsText as t } from "../../../messages/details.ts";
import { formatNumber, formatSentence } from "../../../messages/format.ts";
import chipStyles from "../../../ui/chip.module.css";
import { ClearButton } from "../../../ui/clear-button.tsx";
import emptyStateStyles from "../../../ui/empty-state.module.css";
import { ErrorNotice } from "../../../ui/error-notice.tsx";
import layoutStyles from "../../../ui/layout.module.css";
import { Notice } from "../../../ui/notice.tsx";
import pageStyles from "../../../ui/page.module.css";
import { VirtualRows } from "../../../ui/row-parts.tsx";
import { SearchBox } from "../../../ui/search-box.tsx";
import { CauseNotice } from "../cause-notice.tsx";
import { FailureLines } from "../failure-lines.tsx";
import { DeliveryTable } from "./delivery-table.tsx";
import styles from "./details.module.css";
import { useEverybody, useFiltered, type Wanted } from "./use-deliveries.ts";
import { WithoutValues } from "./without-values.tsx";

type Props = {
  campaign: Campaign;
  wanted: Wanted;
  setStatus: (status: ShownDelivery | undefined) => void;
  setSearch: (words: string) => void;
};

export function Deliveries({ campaign, wanted, setStatus, setSearch }: Props) {
  const { status, failure, search } = wanted;
  const filtered = Boolean(status || failure || search);
  const [from, setFrom] = useState(0);
  const everybody = useEverybody(campaign, from, !filtered);
  const some = useFiltered(campaign, wanted, filtered);
  const rows = filtered ? some : everybody;
  const clear = () => {
    setSearch("");
    setStatus(undefined);
  };
  const failures = campaign.failureLines.length > 0 && (!status || status === "error") && !failure && !search;
  return (
    <>
      <div className={clsx(layoutStyles.stack3, styles.detailsTools)}>
        <div className={clsx(layoutStyles.row3, styles.detailsFilters)}>
          <Chips campaign={campaign} chosen={status} all={!status && !failure} onChoose={setStatus} />
          {campaign.counts.total > 0 && (
            <SearchBox
              label={t.search}
              placeholder={t.searchPlaceholder}
              value={search}
              onChange={setSearch}
            />
          )}
        </div>
        <WithoutValues variables={campaign.variables} />
        {campaign.breaker && <CauseNotice campaign={campaign} />}
        {status === "uncertain" && (
          <Notice tone="warning">
            <strong>{t.uncertainNotice.fact}</strong> {t.uncertainNotice.next}
          </Notice>
        )}
        {status === "accepted" && (
          <Notice tone="warning">
            <strong>{t.acceptedNotice.fact}</strong> {t.acceptedNotice.next}
          </Notice>
        )}
        {failures && <FailureLines folded campaign={campaign} />}
      </div>
      {rows.error !== null && (
        <div className={rows.blank ? styles.detailsFault : styles.detailsGap}>
          <ErrorNotice title={t.failed} error={rows.error} onRetry={rows.retry} />
        </div>
      )}
      {!rows.blank && (
        <DeliveryTable
          key={`${status}|${failure}|${search}|${from}`}
          campaignId={campaign.id}
          connectionId={campaign.connectionId}
          sends={campaign.status !== "cancelled" && campaign.connectionId !== null}
          rows={rows}
          first={filtered ? 0 : from}
          empty={filtered ? <NoMatch onClear={clear} /> : <NoDeliveries campaign={campaign} />}
        />
      )}
      {!filtered && campaign.counts.total > PART && (
        <VirtualRows total={campaign.counts.total} from={from} onGo={setFrom} />
      )}
    </>
  );
}

type ChipsProps = {
  campaign: Campaign;
  chosen: ShownDelivery | undefined;
  all: boolean;
  onChoose: (status: ShownDelivery | undefined) => void;
};

function Chips({ campaign, chosen, all, onChoose }: ChipsProps) {
  const { states, total } = campaign.counts;
  const count = (status: ShownDelivery) =>
    status === "pending" ? states.pending + states.waiting : states[status];
  const always: readonly ShownDelivery[] = ["sent", "read", "error"];
  const offered = SHOWN_DELIVERIES.filter(
    (status) => count(status) > 0 || status === chosen || always.includes(status),
  );
  const row = useRef<HTMLFieldSetElement>(null);
  useEffect(() => {
    // Chips scroll on phones: the chosen one must be visible, with others on both sides.
    const on = chosen && row.current?.querySelector("[aria-pressed=true]");
    if (on) on.scrollIntoView({ block: "nearest", inline: "center" });
  }, [chosen]);
  return (
    <fieldset ref={row} className={clsx(layoutStyles.cluster, styles.filters)} aria-label={t.filters}>
      <Chip label={t.all} count={total} on={all} onPress={() => onChoose(undefined)} />
      {offered.map((status) => (
        <Chip
          key={status}
          label={deliveryName(status, null)}
          count={count(status)}
          on={chosen === status}
          onPress={() => onChoose(status)}
        />
      ))}
    </fieldset>
  );
}

function Chip({
  label,
  count,
  on,
  onPress,
}: {
  label: string;
  count: number;
  on: boolean;
  onPress: () => void;
}) {
  return (
    <button type="button" className={chipStyles.chip} aria-pressed={on} onClick={onPress}>
      {label} <b>{formatNumber(count)}</b>
    </button>
  );
}

function NoDeliveries({ campaign }: { campaign: Campaign }) {
  const { timeZone } = useMe();
  return (
    <div className={emptyStateStyles.blank} data-ui="blank">
      <h3>{t.empty}</h3>
      {!campaign.started && <p>{notBegun(campaign, timeZone)}</p>}
    </div>
  );
}

/** A cancelled one never starts; a missed or paused start time has passed. */
function notBegun({ status, scheduledAt, schedule }: Campaign, accountZone: string): string {
  if (status === "cancelled") return t.emptyCancelled;
  if (status !== "scheduled" || !scheduledAt) return t.emptyNotStarted;
  return t.emptyScheduled(formatSentence(scheduledAt, schedule.kind === "at" ? schedule.zone : accountZone));
}

function NoMatch({ onClear }: { onClear: () => void }) {
  return (
    <div className={emptyStateStyles.blank} data-ui="blank" role="status">
      <h3>{t.nothingFound}</h3>
      <p>{t.nothingFoundText}</p>
      <div className={pageStyles.actions} data-ui="actions">
        <ClearButton small onClear={onClear}>
          {t.clear}
        </ClearButton>
      </div>
    </div>
  );
}
