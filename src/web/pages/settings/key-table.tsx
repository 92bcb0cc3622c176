import { clsx } from "clsx";
import { Ban, Check, Clock } from "lucide-react";
import type { ApiKey } from "../../../contract/settings.ts";
import { useMe } from "../../api/me.ts";
import { serverNow } from "../../api/server-clock.ts";
import { formatDate, formatNear } from "../../messages/format.ts";
import { settingsText } from "../../messages/settings.ts";
import { Badge } from "../../ui/badge.tsx";
import { Button } from "../../ui/button.tsx";
import layoutStyles from "../../ui/layout.module.css";
import tableStyles from "../../ui/table.module.css";
import styles from "./keys.module.css";

const t = settingsText.keys;

type Props = { keys: readonly ApiKey[]; onRevoke: (key: ApiKey) => void };

export function KeyTable({ keys, onRevoke }: Props) {
  return (
    <table className={clsx(tableStyles.table, tableStyles.stack, styles.settingsKeys)}>
      <caption className={layoutStyles.srOnly}>{t.label}</caption>
      <thead>
        <tr>
          <th scope="col">{t.name}</th>
          <th scope="col">{t.scope}</th>
          <th scope="col" className={clsx(tableStyles.r, styles.r)}>
            {t.createdAt}
          </th>
          <th scope="col" className={clsx(tableStyles.r, styles.r)}>
            {t.lastUsed}
          </th>
          <th scope="col" className={clsx(tableStyles.r, styles.r)}>
            {t.expires}
          </th>
          <th scope="col">{t.state}</th>
          <th scope="col">
            <span className={layoutStyles.srOnly}>{t.actions}</span>
          </th>
        </tr>
      </thead>
      <tbody>
        {keys.map((key) => (
          <KeyRow key={key.id} apiKey={key} onRevoke={() => onRevoke(key)} />
        ))}
      </tbody>
    </table>
  );
}

function KeyRow({ apiKey, onRevoke }: { apiKey: ApiKey; onRevoke: () => void }) {
  const { timeZone } = useMe();
  const { name, prefix, scope, createdAt, lastUsedAt, expiresAt } = apiKey;
  const state = stateOf(apiKey);
  return (
    <tr>
      <td className={styles.key}>
        <b>{name}</b>
        <code>{prefix}…</code>
      </td>
      <td data-label={t.scope}>{t.scopes[scope]}</td>
      <td className={clsx(tableStyles.r, styles.r)} data-label={t.createdAt}>
        {formatDate(createdAt, timeZone)}
      </td>
      <td className={clsx(tableStyles.r, styles.r)} data-label={t.lastUsed}>
        {lastUsedAt ? formatNear(lastUsedAt, timeZone) : t.never}
      </td>
      <td className={clsx(tableStyles.r, styles.r)} data-label={t.expires}>
        {expiresAt ? formatDate(expiresAt, timeZone) : t.neverExpires}
      </td>
      <td className={styles.state} data-ui="state">
        <Badge tone={state.tone} icon={state.icon}>
          {state.label}
        </Badge>
      </td>
      <td className={styles.act}>
        {!apiKey.revokedAt && (
          <Button small look="quiet-danger" aria-label={t.revokeLabel(name)} onClick={onRevoke}>
            {t.revoke}
          </Button>
        )}
      </td>
    </tr>
  );
}

function stateOf({ revokedAt, expiresAt }: ApiKey) {
  if (revokedAt) return { tone: "quiet", icon: Ban, label: t.revoked } as const;
  if (expiresAt && Date.parse(expiresAt) <= serverNow())
    return { tone: "warning", icon: Clock, label: t.expired } as const;
  return { tone: "success", icon: Check, label: t.active } as const;
}
