import { ChevronLeft, ChevronRight } from "lucide-react";
import { PART } from "../api/paged-rows.ts";
import { formatNumber } from "../messages/format.ts";
import { pagedRowsText } from "../messages/paged-rows.ts";
import { IconButton } from "./icon-button.tsx";
import styles from "./row-parts.module.css";

type Props = { total: number; from: number; onGo: (from: number) => void };

export function VirtualRows({ total, from, onGo }: Props) {
  const to = Math.min(total, from + PART);
  return (
    <div className={styles.rowParts}>
      {pagedRowsText.range(formatNumber(from + 1), formatNumber(to), formatNumber(total))}
      <span>
        <IconButton
          small
          label={pagedRowsText.earlier}
          icon={ChevronLeft}
          disabled={from === 0}
          onClick={() => onGo(Math.max(0, from - PART))}
        />
        <IconButton
          small
          label={pagedRowsText.later}
          icon={ChevronRight}
          disabled={to >= total}
          onClick={() => onGo(to)}
        />
      </span>
    </div>
  );
}
