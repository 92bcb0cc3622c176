import { clsx } from "clsx";
import { type ReactNode, useEffect, useLayoutEffect, useRef } from "react";
import { commonText } from "../messages/common.ts";
import styles from "./page.module.css";

type Props = {
  title: string;
  fact?: ReactNode;
  actions?: ReactNode;
  inline?: boolean;
  children: ReactNode;
};

export function Page({ title, fact, actions, inline, children }: Props) {
  usePageTitle(title);
  const main = useKeptFocus();
  return (
    <main id="content" tabIndex={-1} className={styles.page} data-ui="page" ref={main}>
      <div className={clsx(styles.pageHead, inline && styles.oneLine)} data-ui="page-head">
        <div>
          <h1>{title}</h1>
          {fact && <p>{fact}</p>}
        </div>
        {actions && (
          <div className={styles.actions} data-ui="actions">
            {actions}
          </div>
        )}
      </div>
      {children}
    </main>
  );
}

let left = false;

/** Keeps the focus when a screen replaces its skeleton without a new address. */
function useKeptFocus() {
  const main = useRef<HTMLElement>(null);
  useLayoutEffect(() => {
    const here = main.current;
    if (left) here?.focus({ preventScroll: true });
    return () => {
      left = document.activeElement === here;
      queueMicrotask(() => {
        left = false;
      });
    };
  }, []);
  return main;
}

export function usePageTitle(title: string) {
  useEffect(() => {
    document.title = `${title} · ${commonText.product}`;
  }, [title]);
}
