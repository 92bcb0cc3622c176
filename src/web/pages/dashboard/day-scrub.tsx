import { type PointerEvent, useRef } from "react";

type Props = {
  place: number;
  last: number;
  setPlace: (place: number) => void;
  setPointing: (pointing: boolean) => void;
  label: string;
  /** The chosen day's figures in words. */
  said: string;
};

/**
 * The browser's own slider, unseen, over the whole chart: a mouse points, a finger drags, arrow keys step, and a screen reader says each
 * day. However narrow a day is, it need not be hit.
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
      className="scrub"
      type="range"
      min={0}
      max={last}
      step={1}
      value={place}
      aria-label={label}
      aria-valuetext={said}
      // While a pointer is down its place counts: the slider's own idea of it is off by its thumb.
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
      // A finger that is lifted has not left: what it pointed at stays until it points elsewhere.
      onPointerLeave={({ pointerType, currentTarget }) =>
        pointerType === "mouse" && !currentTarget.matches(":focus-visible") && setPointing(false)
      }
      onFocus={() => setPointing(true)}
      onBlur={() => setPointing(false)}
      onKeyDown={({ key }) => setPointing(key !== "Escape")}
    />
  );
}
