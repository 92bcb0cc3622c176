import { type PointerEvent, useRef } from "react";
import styles from "./activity-chart.module.css";

type Props = {
  place: number;
  last: number;
  setPlace: (place: number) => void;
  setPointing: (pointing: boolean) => void;
  label: string;
  said: string;
};

/**
 * A range input over the chart: mouse, finger, arrow keys and screen readers reach each day, however narrow.
 */
export function DayScrub({ place, last, setPlace, setPointing, label, said }: Props) {
  const held = useRef(false);
  const point = (event: PointerEvent<HTMLInputElement>) => {
    if (event.pointerType !== "mouse" && !held.current) return;
    const { left, width } = event.currentTarget.getBoundingClientRect();
    const at = Math.floor(((event.clientX - left) / width) * (last + 1));
    setPlace(Math.min(last, Math.max(0, at)));
    setPointing(true);
  };
  return (
    <input
      className={styles.scrub}
      type="range"
      min={0}
      max={last}
      step={1}
      value={place}
      aria-label={label}
      aria-valuetext={said}
      // The pointer's position counts while it is down: the slider is off by its thumb.
      onChange={({ target }) => !held.current && setPlace(Number(target.value))}
      onPointerDown={(event) => {
        held.current = true;
        point(event);
      }}
      onPointerMove={point}
      onPointerUp={() => {
        held.current = false;
      }}
      onPointerCancel={() => {
        held.current = false;
      }}
      // Lifting a finger keeps the day.
      onPointerLeave={({ pointerType, currentTarget }) =>
        pointerType === "mouse" && !currentTarget.matches(":focus-visible") && setPointing(false)
      }
      onFocus={() => setPointing(true)}
      onBlur={() => setPointing(false)}
      onKeyDown={({ key }) => setPointing(key !== "Escape")}
    />
  );
}
