import { clsx } from "clsx";
import { memo, type ReactNode, useEffect, useRef } from "react";
import type { Rows } from "../api/paged-rows.ts";
import { PrintedPart } from "./printed-part.tsx";
import { ScrollRegion } from "./scroll-region.tsx";
import { useRowsInView } from "./use-rows-in-view.ts";
import "./virtual-list.css";

const COMING_ROWS = 7;

type Props<Row> = {
  label: string;
  className?: string;
  rows: Rows<Row>;
  /** In pixels, of every row; the style sheet keeps them so. */
  height: number;
  /** Place of the first row among all. */
  first: number;
  /** How many there are in all; -1 while nobody knows. */
  whole: number;
  nothing: string;
  /** What stays the same while a row moves to another place; else its place. */
  keyOf?: (row: Row) => string;
  /** Draws a row, or what stands for one that is on its way. The same function each time, or all rows are drawn anew. */
  children: (row: Row | undefined) => ReactNode;
};

/** A box as long as its list, of whose rows only the visible ones are drawn. */
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
  /** While two pages come one after the other, whoever moves between them may stand in both: a key said twice leaves a dead row behind. */
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
    <ScrollRegion ref={box} label={label} className={clsx("far-list", className)}>
      {!rows.waiting && <PrintedPart {...{ first, from, to, count }} />}
      {count === 0 && (
        <p className="nothing" role="status">
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

/** While one scrolls, only rows that come into view are drawn. */
const Line = memo(({ place, top, whole, row, draw }: LineProps) => (
  <li aria-posinset={place + 1} aria-setsize={whole} style={{ top }}>
    {draw(row)}
  </li>
));
