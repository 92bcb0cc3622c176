import { clsx } from "clsx";
import { CircleAlert, RefreshCw } from "lucide-react";
import type { ReactNode } from "react";
import { causeText } from "../api/api-error.ts";
import { commonText } from "../messages/common.ts";
import { Button } from "./button.tsx";
import styles from "./error-notice.module.css";
import { Icon } from "./icon.tsx";
import pageStyles from "./page.module.css";

type Props = {
  title: string;
  error: unknown;
  onRetry?: () => void;
  busy?: boolean;
  children?: ReactNode;
};

type Query = { error: unknown; refetch: () => unknown; isFetching: boolean };

export function ErrorNotice({ title, error, onRetry, busy, children }: Props) {
  const text = causeText(error);
  return (
    <div className={styles.fault} data-ui="fault" role="alert">
      <Icon of={CircleAlert} />
      <div>
        <h2>{title}</h2>
        {text && text !== title && <p>{text}</p>}
        {children}
        {onRetry && (
          <div className={pageStyles.actions} data-ui="actions">
            <Button small icon={RefreshCw} busy={busy ?? false} onClick={onRetry}>
              {commonText.retry}
            </Button>
          </div>
        )}
      </div>
    </div>
  );
}

export function QueryError({ title, query }: { title: string; query: Query }) {
  return (
    <ErrorNotice title={title} error={query.error} onRetry={() => query.refetch()} busy={query.isFetching} />
  );
}

export function SmallError({
  title,
  text,
  children,
}: {
  title: string;
  text?: string | null;
  children?: ReactNode;
}) {
  return (
    <div className={clsx(styles.fault, styles.small)} data-ui="fault" role="alert">
      <Icon of={CircleAlert} />
      <div>
        <h2>{title}</h2>
        {text && text !== title && <p>{text}</p>}
        {children}
      </div>
    </div>
  );
}
