import { Link } from "@tanstack/react-router";
import { type ReactNode, useEffect, useRef } from "react";
import { commonText } from "../messages/common.ts";
import { Mark } from "../ui/brand.tsx";
import { AuthSide } from "./auth-side.tsx";
import { LanguageChoice } from "./language-choice.tsx";
import "./auth.css";

type Props = { title: string; lead: string; focus?: boolean; children: ReactNode };

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
      <AuthSide />
    </div>
  );
}
