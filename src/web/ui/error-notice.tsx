import { CircleAlert, RefreshCw } from "lucide-react";
import type { ReactNode } from "react";
import { causeText } from "../api/api-error.ts";
import { commonText } from "../messages/common.ts";
import { Button } from "./button.tsx";
import { Icon } from "./icon.tsx";

type Props = {
  title: string;
  error: unknown;
  onRetry?: () => void;
  busy?: boolean;
  children?: ReactNode;
};

type Query = { error: unknown; refetch: () => unknown; isFetching: boolean };

export function Fault({ title, error, onRetry, busy, children }: Props) {
  const text = causeText(error);
  return (
    <div className="fault" role="alert">
      <Icon of={CircleAlert} />
      <div className="min-w-0">
        <h2>{title}</h2>
        {text && text !== title && <p>{text}</p>}
        {children}
        {onRetry && (
          <div className="actions">
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
  return <Fault title={title} error={query.error} onRetry={() => query.refetch()} busy={query.isFetching} />;
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
    <div className="fault small" role="alert">
      <Icon of={CircleAlert} />
      <div className="min-w-0">
        <h2>{title}</h2>
        {text && text !== title && <p>{text}</p>}
        {children}
      </div>
    </div>
  );
}
