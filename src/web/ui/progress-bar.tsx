import { clsx } from "clsx";
import styles from "./progress-bar.module.css";
export type BarPart = { share: number; tone?: "read" | "error" | "doubt" | "held" | "quiet" | "info" };

type Props = { label: string; parts: readonly BarPart[]; text?: string };

/** Shares 0–1 of one whole. `text` replaces the percentage for screen readers. */
export function ProgressBar({ label, parts, text }: Props) {
  const whole = parts.reduce((sum, part) => sum + part.share, 0);
  return (
    <div
      className={styles.bar}
      data-ui="bar"
      role="progressbar"
      aria-label={label}
      aria-valuemin={0}
      aria-valuemax={100}
      aria-valuenow={Math.round(Math.min(1, whole) * 100)}
      aria-valuetext={text}
    >
      {parts.map((part) =>
        part.share > 0 ? (
          <i key={part.tone ?? "accent"} data-tone={part.tone} style={{ width: `${part.share * 100}%` }} />
        ) : null,
      )}
    </div>
  );
}

export function UnknownProgress({ label }: { label: string }) {
  return (
    <div className={clsx(styles.bar, styles.unknown)} data-ui="bar" role="progressbar" aria-label={label}>
      <i />
    </div>
  );
}
