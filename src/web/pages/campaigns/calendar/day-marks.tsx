import { clsx } from "clsx";
import styles from "./calendar.module.css";
import { isOver, messagesOf, type NumberLoad, topOf } from "./day-load.ts";

export function DayMarks({ numbers, day }: { numbers: readonly NumberLoad[]; day: string }) {
  return (
    <span className={styles.marks} aria-hidden="true">
      {numbers.map((number) => {
        const load = number.days.find((each) => each.day === day);
        const share = load ? messagesOf(load) / topOf(number) : 0;
        return (
          <i key={number.connectionId} className={styles.mark}>
            {load && share > 0 && (
              <i
                className={clsx(
                  styles.fill,
                  isOver(load) ? styles.over : load.predicted > 0 && styles.predicted,
                )}
                style={{ width: `${share * 100}%` }}
              />
            )}
          </i>
        );
      })}
    </span>
  );
}
