import { getRouteApi } from "@tanstack/react-router";
import { CircleCheck, MailX } from "lucide-react";
import { type ReactNode, useEffect, useRef } from "react";
import { ApiError, errorTextOf } from "../../api/api-error.ts";
import { commonText } from "../../messages/common.ts";
import { unsubscribeText as t } from "../../messages/settings.ts";
import { Mark } from "../../ui/brand.tsx";
import { Button } from "../../ui/button.tsx";
import { Fault, SmallError } from "../../ui/error-notice.tsx";
import { Icon, type LucideIcon } from "../../ui/icon.tsx";
import { usePageTitle } from "../../ui/page.tsx";
import { Bone, Skeleton } from "../../ui/skeleton.tsx";
import { TextLink } from "../../ui/text-link.tsx";
import { useUnsubscribe } from "./use-unsubscribe.ts";
import "./unsubscribe.css";

const route = getRouteApi("/descadastrar/$token");

/** Needs a press: mail programs open links. */
export function UnsubscribePage() {
  usePageTitle(t.title);
  const { token } = route.useParams();
  return (
    <main id="content" className="unsubscribe">
      <p className="brand">
        <Mark />
        {commonText.product}
      </p>
      <article className="card">
        <Content token={token} />
      </article>
      <p>
        <TextLink to="/">{t.open}</TextLink>
      </p>
    </main>
  );
}

function Content({ token }: { token: string }) {
  const { data, error, busy, load, confirm } = useUnsubscribe(token);
  if (error instanceof ApiError && error.status === 404)
    return <Said icon={MailX} title={t.unknown} text={t.unknownText} />;
  if (!data)
    return (
      <>
        <h1 className="sr-only">{t.title}</h1>
        {error === null ? (
          <Waiting />
        ) : (
          <Fault title={t.loadFailed} error={error} onRetry={load} busy={busy} />
        )}
      </>
    );
  const kind = t.kinds[data.kind];
  if (!data.subscribed)
    return (
      <Said icon={CircleCheck} title={t.done} text={t.doneText(data.email, kind)} focus>
        <p>{t.again}</p>
      </Said>
    );
  return (
    <Said icon={MailX} title={t.ask(kind)} text={t.text(data.email)}>
      {error !== null && <SmallError title={t.failed} text={errorTextOf(error, "")} />}
      <Button look="primary" busy={busy} busyText={t.busy} onClick={confirm}>
        {t.button}
      </Button>
    </Said>
  );
}

type SaidProps = { icon: LucideIcon; title: string; text: string; focus?: boolean; children?: ReactNode };

function Said({ icon, title, text, focus, children }: SaidProps) {
  const heading = useRef<HTMLHeadingElement>(null);
  useEffect(() => {
    if (focus) heading.current?.focus();
  }, [focus]);
  return (
    <>
      <span className="ico">
        <Icon of={icon} />
      </span>
      <h1 ref={heading} tabIndex={-1}>
        {title}
      </h1>
      <p>{text}</p>
      {children}
    </>
  );
}

function Waiting() {
  return (
    <Skeleton className="waiting">
      <Bone width="60%" height="18px" />
      <Bone width="90%" />
    </Skeleton>
  );
}
