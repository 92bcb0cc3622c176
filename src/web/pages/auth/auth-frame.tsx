import { Link } from "@tanstack/react-router";
import { type ReactNode, useEffect, useRef } from "react";
import { Badge } from "../../components/badge.tsx";
import { Mark } from "../../components/brand.tsx";
import { ProgressBar } from "../../components/progress-bar.tsx";
import { accountsText } from "../../messages/accounts.ts";
import { commonText } from "../../messages/common.ts";
import { LanguageChoice } from "./language-choice.tsx";
import "./auth.css";

const t = accountsText.side;

type Props = { title: string; lead: string; focus?: boolean; children: ReactNode };

/**
 * Login and sign-up: the form, and beside it on large screens what the product does. `focus`: it takes the place of what had the focus,
 * and is read from its heading on.
 */
export function AuthFrame({ title, lead, focus = false, children }: Props) {
  const heading = useRef<HTMLHeadingElement>(null);
  useEffect(() => {
    if (focus) heading.current?.focus();
  }, [focus]);
  return (
    <div className="auth">
      <main className="auth-form">
        <Link to="/" className="brand">
          <Mark />
          {commonText.product}
        </Link>
        <LanguageChoice />
        <div className="auth-column">
          <header>
            <h1 ref={heading} tabIndex={-1}>
              {title}
            </h1>
            <p className="lead">{lead}</p>
          </header>
          {children}
        </div>
      </main>
      <aside className="auth-side">
        <div>
          <div>
            <h2>{t.title}</h2>
            <p>{t.text}</p>
          </div>
          <Sample />
        </div>
      </aside>
    </div>
  );
}

/** A picture of a running campaign; nothing to read aloud. */
function Sample() {
  return (
    <div className="card sample" aria-hidden="true">
      <div className="sample-line">
        <b>{t.campaign}</b>
        <Badge tone="live">{t.status}</Badge>
      </div>
      <div className="sample-progress">
        <div className="sample-line">
          <span>
            <b>{t.done}</b> {t.of}
          </span>
          <b>{t.percent}</b>
        </div>
        <ProgressBar label={t.campaign} parts={[{ share: 0.49 }]} />
        <div className="sample-line muted">
          <span>{t.pace}</span>
          <span>{t.end}</span>
        </div>
      </div>
      <dl>
        {t.counts.map(([name, figure]) => (
          <div key={name}>
            <dt>{name}</dt>
            <dd>{figure}</dd>
          </div>
        ))}
      </dl>
    </div>
  );
}
