import { clsx } from "clsx";
import { memo, type ReactNode, useEffect, useRef } from "react";
import type { Rows } from "../api/paged-rows.ts";
import { PrintedPart } from "./printed-part.tsx";
import { ScrollRegion } from "./scroll-region.tsx";
import textStyles from "./text.module.css";
import { useRowsInView } from "./use-rows-in-view.ts";
import styles from "./virtual-list.module.css";

const COMING_ROWS = 7;

type Props<Row> = {
  label: string;
  className?: string;
  rows: Rows<Row>;
  /** In pixels, the same as in the style sheet. */
  height: number;
  first: number;
  /** -1 while unknown. */
  whole: number;
  nothing: string;
  /** Key that stays when a row moves; default: its place. */
  keyOf?: (row: Row) => string;
  /** Draws a row or its placeholder. Must keep its identity, or all rows are drawn again. */
  children: (row: Row | undefined) => ReactNode;
};

export function VirtualList<Row>({
  label,
  className,
  rows,
  height,
  first,
  whole,
  nothing,
  ...each
}: Props<Row>) {
  const box = useRef<HTMLElement>(null);
  const count = rows.waiting ? COMING_ROWS : rows.count;
  const { from, to } = useRowsInView(box, count, height);
  const { see } = rows;
  const keyed = new Set<string>();
  const keyOf = (row: Row | undefined, place: number) => {
    const key = row && each.keyOf?.(row);
    if (key === undefined || keyed.has(key)) return place;
    keyed.add(key);
    return key;
  };
  useEffect(() => {
    if (to > from) see(from, to - 1);
  });
  return (
    <ScrollRegion ref={box} label={label} className={clsx(styles.farList, className)}>
      {!rows.waiting && <PrintedPart first={first} from={from} to={to} count={count} />}
      {count === 0 && (
        <p className={clsx(textStyles.quiet, styles.nothing)} role="status">
          {nothing}
        </p>
      )}
      <ul style={{ height: count * height }}>
        {Array.from({ length: to - from }, (_, at) => from + at).map((place) => {
          const row = rows.waiting ? undefined : rows.rowAt(place);
          return (
            <Line
              key={keyOf(row, place)}
              place={first + place}
              top={place * height}
              whole={whole}
              row={row}
              draw={each.children as (row: unknown) => ReactNode}
            />
          );
        })}
      </ul>
    </ScrollRegion>
  );
}

type LineProps = {
  place: number;
  top: number;
  whole: number;
  row: unknown;
  draw: (row: unknown) => ReactNode;
};

const Line = memo(({ place, top, whole, row, draw }: LineProps) => (
  <li aria-posinset={place + 1} aria-setsize={whole} style={{ top }}>
    {draw(row)}
  </li>
));
