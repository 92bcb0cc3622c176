import { ChevronLeft, ChevronRight } from "lucide-react";
import { PART } from "../api/paged-rows.ts";
import { formatNumber } from "../messages/format.ts";
import { farRowsText } from "../messages/paged-rows.ts";
import { IconButton } from "./icon-button.tsx";
import "./row-parts.css";

type Props = { total: number; from: number; onGo: (from: number) => void };

/** More rows than a browser can draw in one box come in parts. */
export function RowParts({ total, from, onGo }: Props) {
  const to = Math.min(total, from + PART);
  return (
    <div className="row-parts">
      {farRowsText.range(formatNumber(from + 1), formatNumber(to), formatNumber(total))}
      <span>
        <IconButton
          small
          label={farRowsText.earlier}
          icon={ChevronLeft}
          disabled={from === 0}
          onClick={() => onGo(Math.max(0, from - PART))}
        />
        <IconButton
          small
          label={farRowsText.later}
          icon={ChevronRight}
          disabled={to >= total}
          onClick={() => onGo(to)}
        />
      </span>
    </div>
  );
}
