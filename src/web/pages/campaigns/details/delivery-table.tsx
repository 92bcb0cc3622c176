import { clsx } from "clsx";
import { memo, type ReactNode, useEffect, useRef } from "react";
import type { Delivery } from "../../../../contract/campaigns.ts";
import { useMe } from "../../../api/me.ts";
import type { Rows } from "../../../api/paged-rows.ts";
import { scaled } from "../../../lib/text-size.ts";
import { commonText } from "../../../messages/common.ts";
import { detailsText as t } from "../../../messages/details.ts";
import { formatDateTime } from "../../../messages/format.ts";
import { pagedRowsText } from "../../../messages/paged-rows.ts";
import { DeliveryBadge } from "../../../ui/delivery-badge.tsx";
import layoutStyles from "../../../ui/layout.module.css";
import personStyles from "../../../ui/person.module.css";
import { PrintedPart } from "../../../ui/printed-part.tsx";
import { Bone } from "../../../ui/skeleton.tsx";
import tableStyles from "../../../ui/table.module.css";
import { TalkLink } from "../../../ui/talk-link.tsx";
import textStyles from "../../../ui/text.module.css";
import { CutLine, CutText } from "../../../ui/tooltip.tsx";
import { useNarrow, useTiny } from "../../../ui/use-narrow.ts";
import { useRowsInView } from "../../../ui/use-rows-in-view.ts";
import styles from "./details.module.css";
import { ResolveMenu } from "./resolve-menu.tsx";
import { SendRest } from "./send-rest.tsx";

/** The same height as in details.css. */
const ROW = scaled(53);
const NARROW_ROW = scaled(92);
const TINY_ROW = scaled(160);
const COMING_ROWS = 7;
const ERROR_CHARACTERS = 40;
/** The row's height has room for one line above the button. */
const ONE_LINE_CHARACTERS = 24;
const scrolling = { tabIndex: 0 };

type Props = {
  campaignId: number;
  /** The campaign's connection; null if deleted. */
  connectionId: number | null;
  sends: boolean;
  rows: Rows<Delivery>;
  first: number;
  empty: ReactNode;
};

export function DeliveryTable({ campaignId, connectionId, sends, rows, first, empty }: Props) {
  const box = useRef<HTMLElement>(null);
  const count = rows.waiting ? COMING_ROWS : rows.count;
  const narrow = useNarrow() ? NARROW_ROW : ROW;
  const height = useTiny() ? TINY_ROW : narrow;
  const { from, to } = useRowsInView(box, count, height);
  const { see } = rows;
  useEffect(() => {
    if (to > from) see(from, to - 1);
  });
  return (
    <section
      ref={box}
      className={clsx(layoutStyles.ringInside, styles.deliveries)}
      data-ui="deliveries"
      {...scrolling}
      aria-label={t.rows}
    >
      {!rows.waiting && <PrintedPart first={first} from={from} to={to} count={count} />}
      {count === 0 ? (
        empty
      ) : (
        <table
          className={clsx(tableStyles.table, tableStyles.stack, styles.stack)}
          data-ui="table"
          aria-rowcount={rows.waiting ? -1 : first + count + 1}
        >
          <thead>
            <tr aria-rowindex={1}>
              {[t.contact, t.status, t.at, t.error].map((head) => (
                <th key={head} scope="col">
                  {head}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            <Space height={from * height} />
            {drawnRows(rows, from, to).map(({ key, place, row }) => (
              <Row
                key={key}
                place={first + place + 2}
                row={row}
                campaignId={campaignId}
                connectionId={connectionId}
                sends={sends}
              />
            ))}
            <Space height={(count - to) * height} />
          </tbody>
        </table>
      )}
    </section>
  );
}

/**
 * Keyed by person, so that an open menu never moves to another one. A duplicate between two pages falls back
 * to its place.
 */
function drawnRows(rows: Rows<Delivery>, from: number, to: number) {
  const seen = new Set<number>();
  return Array.from({ length: to - from }, (_, at) => {
    const place = from + at;
    const row = rows.waiting ? undefined : rows.rowAt(place);
    const key = row && !seen.has(row.seq) ? `person ${row.seq}` : `place ${place}`;
    if (row) seen.add(row.seq);
    return { key, place, row };
  });
}

function Space({ height }: { height: number }) {
  return height > 0 ? <tr className={styles.space} style={{ height }} /> : null;
}

type RowProps = {
  place: number;
  row: Delivery | undefined;
  campaignId: number;
  connectionId: number | null;
  sends: boolean;
};

const Row = memo(({ place, row, ...campaign }: RowProps) => (
  <tr aria-rowindex={place}>{row ? <Cells row={row} {...campaign} /> : <ComingCells />}</tr>
));

function Cells({
  row,
  campaignId,
  connectionId,
  sends,
}: Omit<RowProps, "place" | "row"> & { row: Delivery }) {
  const { timeZone } = useMe();
  const at = row.status === "skipped" ? null : row.at;
  const why = row.error && reasonOf(row.error, row.phone);
  return (
    <>
      <td>
        <div className={personStyles.person} data-ui="person">
          <b>
            <CutLine text={row.phone === "" ? t.erased : row.name || t.nameless} />
          </b>
          {row.phone !== "" && (
            <span>
              <TalkLink phone={row.phone} name={row.name || t.nameless} connectionId={connectionId} />
            </span>
          )}
        </div>
      </td>
      <td>
        <div className={styles.status}>
          <DeliveryBadge status={row.status} reason={row.reason} />
          {row.messages && row.messages.sent > 0 && row.messages.sent < row.messages.all && (
            <span className={clsx(textStyles.fact, styles.sentOf)}>
              {t.messagesSent(row.messages.sent, row.messages.all)}
            </span>
          )}
        </div>
      </td>
      <td className={clsx(tableStyles.tail, styles.when)}>
        {at ? formatDateTime(at, timeZone) : commonText.none}
      </td>
      <td
        className={clsx(
          tableStyles.tail,
          styles.why,
          !(row.resolvable || why) && clsx(tableStyles.none, styles.none),
        )}
        data-ui="why"
      >
        {row.resolvable ? (
          <ResolveMenu delivery={row} campaignId={campaignId} sends={sends && row.phone !== ""} />
        ) : why ? (
          <>
            <CutText
              text={why}
              most={row.unfinished ? ONE_LINE_CHARACTERS : ERROR_CHARACTERS}
              label={t.wholeError(why)}
            />
            {row.unfinished && sends && row.phone !== "" && (
              <div className={styles.rest}>
                <SendRest campaignId={campaignId} delivery={row} />
              </div>
            )}
          </>
        ) : (
          commonText.none
        )}
      </td>
    </>
  );
}

/** Removes the leading number: it stands beside the text, and would fill the 40 characters. */
function reasonOf(error: string, phone: string): string {
  const prefix = `${phone}: `;
  const at = error.indexOf(prefix);
  return at < 0 ? error : error.slice(at + prefix.length);
}

function ComingCells() {
  return (
    <>
      <td>
        <span className={layoutStyles.srOnly}>{pagedRowsText.loadingRow}</span>
        <Bone width="60%" />
        <Bone width="44%" height="10px" style={{ marginTop: 8 }} />
      </td>
      <td>
        <Bone width="70px" height="22px" />
      </td>
      <td className={tableStyles.tail}>
        <Bone width="110px" />
      </td>
      <td className={clsx(tableStyles.tail, tableStyles.none, styles.none)}>
        <Bone width="30%" />
      </td>
    </>
  );
}
