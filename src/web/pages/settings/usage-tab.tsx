import { useQuery } from "@tanstack/react-query";
import { clsx } from "clsx";
import { Megaphone, MessageCircle } from "lucide-react";
import type { Usage } from "../../../contract/settings.ts";
import { useMe } from "../../api/me.ts";
import { formatDate, formatDecimal, formatMonth, formatNumber, formatShare } from "../../messages/format.ts";
import { settingsText } from "../../messages/settings.ts";
import cardStyles from "../../ui/card.module.css";
import { SectionCard } from "../../ui/card.tsx";
import { QueryError } from "../../ui/error-notice.tsx";
import { Icon } from "../../ui/icon.tsx";
import layoutStyles from "../../ui/layout.module.css";
import { Notice } from "../../ui/notice.tsx";
import progressBarStyles from "../../ui/progress-bar.module.css";
import { ProgressBar } from "../../ui/progress-bar.tsx";
import { Bone, Skeleton } from "../../ui/skeleton.tsx";
import { useRefetchError } from "../../ui/use-refetch-error.ts";
import { usageQuery } from "./queries.ts";
import styles from "./usage.module.css";

const t = settingsText.usage;

/** Many topics count messages: poll. */
const LOOK_MS = 15_000;
const NEAR = 0.8;

export function UsageTab() {
  const query = useQuery({ ...usageQuery, refetchInterval: LOOK_MS });
  const old = useRefetchError(query);
  if (query.isPending)
    return (
      <Skeleton className={layoutStyles.stack4}>
        <div className={clsx(cardStyles.card, cardStyles.section)}>
          <Bone width="30%" />
          <Bone width="20%" height="30px" />
          <Bone height="8px" />
          <Bone width="50%" />
          <Bone width="100%" height="80px" />
        </div>
        <div className={clsx(cardStyles.card, cardStyles.section)}>
          <Bone width="25%" />
          <Bone width="100%" height="44px" />
        </div>
      </Skeleton>
    );
  const errorNotice = <QueryError title={t.failed} query={query} />;
  if (!query.data) return errorNotice;
  return (
    <>
      {old && errorNotice}
      <Month usage={query.data} />
      <History months={query.data.history} />
      <Limits limits={query.data.limits} />
    </>
  );
}

function Month({ usage }: { usage: Usage }) {
  const { timeZone } = useMe();
  const { month, total, limit, campaigns, single } = usage;
  const renews = formatDate(usage.renewsAt, timeZone);
  return (
    <SectionCard title={t.title(formatMonth(month))} explained={t.counted}>
      <div className={clsx(layoutStyles.stack3, styles.usageFigure)}>
        <p>
          <strong>{formatNumber(total)}</strong>{" "}
          <span>{limit === null ? t.total.toLocaleLowerCase() : t.of(formatNumber(limit))}</span>
        </p>
        {limit !== null && (
          <ProgressBar
            label={t.bar}
            text={t.barSaid(formatNumber(total), formatNumber(limit))}
            parts={[{ share: shareOf(total, limit), ...(total >= limit ? { tone: "error" as const } : {}) }]}
          />
        )}
        <p className={styles.usageNote}>
          {limit === null ? t.noLimit : t.left(Math.max(0, limit - total))} {t.renews(renews)}
        </p>
      </div>
      {limit !== null && <LimitNotice total={total} limit={limit} renews={renews} />}
      <dl className={styles.usageParts}>
        <div>
          <dt>
            <Icon of={Megaphone} sm />
            {t.campaigns}
          </dt>
          <dd>{formatNumber(campaigns)}</dd>
        </div>
        <div>
          <dt>
            <Icon of={MessageCircle} sm />
            {t.single} <span>({t.directHint})</span>
          </dt>
          <dd>{formatNumber(single)}</dd>
        </div>
      </dl>
    </SectionCard>
  );
}

const shareOf = (total: number, limit: number) => (limit > 0 ? Math.min(1, total / limit) : 1);

function LimitNotice({ total, limit, renews }: { total: number; limit: number; renews: string }) {
  const share = shareOf(total, limit);
  if (share < NEAR) return null;
  const [fact, next] =
    total >= limit ? [t.reached, t.reachedText(renews)] : [t.near(formatShare(share)), t.nearText];
  return (
    <Notice tone={total >= limit ? "danger" : "warning"}>
      <p>
        <strong>{fact}</strong> {next}
      </p>
    </Notice>
  );
}

const BYTES_OF_GB = 1_000_000_000;

type Limit = Usage["limits"][number];

function Limits({ limits }: { limits: Usage["limits"] }) {
  return (
    <SectionCard title={t.limits.title} explained={t.limits.explained}>
      <table className={styles.usageLimits}>
        <caption className={layoutStyles.srOnly}>{t.limits.title}</caption>
        <thead className={layoutStyles.srOnly}>
          <tr>
            <th scope="col">{t.limits.what}</th>
            <th scope="col">{t.limits.used}</th>
          </tr>
        </thead>
        <tbody>
          {limits.map((limit) => (
            <tr key={limit.name} className={isReached(limit) ? styles.reached : undefined}>
              <th scope="row">{t.limits.names[limit.name]}</th>
              <td>{figureOf(limit)}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </SectionCard>
  );
}

const isReached = ({ most, used }: Limit) => most !== null && used >= most;

function figureOf({ name, most, used }: Limit): string {
  const figure = (n: number) =>
    name === "stored_bytes" ? t.limits.gigabytes(formatDecimal(n / BYTES_OF_GB)) : formatNumber(n);
  return most === null ? t.limits.free(figure(used)) : t.limits.of(figure(used), figure(most));
}

function History({ months }: { months: Usage["history"] }) {
  const most = Math.max(1, ...months.map(({ total }) => total));
  return (
    <SectionCard title={t.history} explained={t.historyExplained}>
      {months.length === 0 ? (
        <p className={styles.usageNote}>{t.none}</p>
      ) : (
        <table className={styles.usageMonths}>
          <caption className={layoutStyles.srOnly}>{t.history}</caption>
          <thead className={layoutStyles.srOnly}>
            <tr>
              <th scope="col">{t.month}</th>
              <th scope="col">{t.messages}</th>
            </tr>
          </thead>
          <tbody>
            {months.map(({ month, total }) => (
              <tr key={month}>
                <th scope="row">{formatMonth(month)}</th>
                <td>
                  <span className={clsx(progressBarStyles.bar, layoutStyles.grow)} aria-hidden="true">
                    <i style={{ width: `${(total / most) * 100}%` }} />
                  </span>
                  <span className={styles.usageNumber}>{formatNumber(total)}</span>
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      )}
    </SectionCard>
  );
}
