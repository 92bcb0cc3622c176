import { clsx } from "clsx";
import { type ReactNode, useEffect, useLayoutEffect, useRef } from "react";
import { commonText } from "../messages/common.ts";

type Props = {
  title: string;
  /** One line that says a fact: a count, a date, the last refresh. */
  fact?: ReactNode;
  actions?: ReactNode;
  /** A lone short action stays beside the title on small screens. */
  inline?: boolean;
  children: ReactNode;
};

/** A screen inside the shell: title, one fact, actions, content. */
export function Page({ title, fact, actions, inline, children }: Props) {
  usePageTitle(title);
  const main = useKeptFocus();
  return (
    <main id="content" tabIndex={-1} className="page" ref={main}>
      <div className={clsx("page-head", inline && "one-line")}>
        <div>
          <h1>{title}</h1>
          {fact && <p>{fact}</p>}
        </div>
        {actions && <div className="actions">{actions}</div>}
      </div>
      {children}
    </main>
  );
}

let left = false;

/** Where one screen takes the place of another without a new address, as what was fetched does of its skeleton, the reading position stays. */
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

/** Names the browser's tab after the screen. */
export function usePageTitle(title: string) {
  useEffect(() => {
    document.title = `${title} · ${commonText.product}`;
  }, [title]);
}
