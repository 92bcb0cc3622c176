import { Link } from "@tanstack/react-router";
import { clsx } from "clsx";
import { type ReactNode, useEffect, useRef } from "react";
import { commonText } from "../messages/common.ts";
import brandStyles from "../ui/brand.module.css";
import { Mark } from "../ui/brand.tsx";
import layoutStyles from "../ui/layout.module.css";
import styles from "./auth.module.css";
import { AuthSide } from "./auth-side.tsx";
import { LanguageChoice } from "./language-choice.tsx";

type Props = { title: string; lead: string; focus?: boolean; children: ReactNode };

export function AuthFrame({ title, lead, focus = false, children }: Props) {
  const heading = useRef<HTMLHeadingElement>(null);
  useEffect(() => {
    if (focus) heading.current?.focus();
  }, [focus]);
  return (
    <div className={styles.auth}>
      <main className={styles.authForm}>
        <Link to="/" className={brandStyles.brand} data-ui="brand">
          <Mark />
          {commonText.product}
        </Link>
        <LanguageChoice />
        <div className={clsx(layoutStyles.stack5, styles.authColumn)} data-ui="auth-column">
          <header>
            <h1 ref={heading} tabIndex={-1}>
              {title}
            </h1>
            <p className={styles.lead} data-ui="lead">
              {lead}
            </p>
          </header>
          {children}
        </div>
      </main>
      <AuthSide />
    </div>
  );
}
