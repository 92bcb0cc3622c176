import { clsx } from "clsx";
import { type ReactNode, useEffect } from "react";
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
  return (
    <main id="content" tabIndex={-1} className="page">
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

/** Names the browser's tab after the screen. */
export function usePageTitle(title: string) {
  useEffect(() => {
    document.title = `${title} · ${commonText.product}`;
  }, [title]);
}
