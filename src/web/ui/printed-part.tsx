import { formatNumber } from "../messages/format.ts";
import { pagedRowsText as t } from "../messages/paged-rows.ts";

type Props = { first: number; from: number; to: number; count: number };

/** On paper, says which rows are printed, or a partial list would look complete. */
export function PrintedPart({ first, from, to, count }: Props) {
  if (to - from === count) return null;
  return <p className="print-only">{t.printed(formatNumber(first + from + 1), formatNumber(first + to))}</p>;
}
