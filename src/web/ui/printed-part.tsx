import { formatNumber } from "../messages/format.ts";
import { pagedRowsText as t } from "../messages/paged-rows.ts";
import textStyles from "./text.module.css";

type Props = { first: number; from: number; to: number; count: number };

/** On paper, says which rows are printed, or a partial list would look complete. */
export function PrintedPart({ first, from, to, count }: Props) {
  if (to - from === count) return null;
  return (
    <p className={textStyles.printOnly}>
      {t.printed(formatNumber(first + from + 1), formatNumber(first + to))}
    </p>
  );
}
