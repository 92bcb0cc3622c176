import { getRouteApi } from "@tanstack/react-router";
import { clsx } from "clsx";
import { CircleCheck, MailX } from "lucide-react";
import { type ReactNode, useEffect, useRef } from "react";
import { ApiError, errorTextOf } from "../../api/api-error.ts";
import { commonText } from "../../messages/common.ts";
import { unsubscribeText as t } from "../../messages/settings.ts";
import brandStyles from "../../ui/brand.module.css";
import { Mark } from "../../ui/brand.tsx";
import { Button } from "../../ui/button.tsx";
import cardStyles from "../../ui/card.module.css";
import emptyStateStyles from "../../ui/empty-state.module.css";
import { ErrorNotice, SmallError } from "../../ui/error-notice.tsx";
import { Icon, type LucideIcon } from "../../ui/icon.tsx";
import layoutStyles from "../../ui/layout.module.css";
import { usePageTitle } from "../../ui/page.tsx";
import { Bone, Skeleton } from "../../ui/skeleton.tsx";
import { TextLink } from "../../ui/text-link.tsx";
import styles from "./unsubscribe.module.css";
import { useUnsubscribe } from "./use-unsubscribe.ts";

const route = getRouteApi("/descadastrar/$token");

/** Needs a press: mail programs open links. */
export function UnsubscribePage() {
  usePageTitle(t.title);
  const { token } = route.useParams();
  return (
    <main id="content" className={clsx(layoutStyles.stack4, styles.unsubscribe)}>
      <p className={brandStyles.brand} data-ui="brand">
        <Mark />
        {commonText.product}
      </p>
      <article className={cardStyles.card}>
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
        <h1 className={layoutStyles.srOnly}>{t.title}</h1>
        {error === null ? (
          <Waiting />
        ) : (
          <ErrorNotice title={t.loadFailed} error={error} onRetry={load} busy={busy} />
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
      <span className={emptyStateStyles.ico} data-ui="ico">
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
    <Skeleton className={clsx(layoutStyles.stack3, styles.waiting)}>
      <Bone width="60%" height="18px" />
      <Bone width="90%" />
    </Skeleton>
  );
}
