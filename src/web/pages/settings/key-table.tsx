import { Ban, Check, Clock } from "lucide-react";
import type { ApiKey } from "../../../contract/settings.ts";
import { useMe } from "../../api/me.ts";
import { serverNow } from "../../api/server-clock.ts";
import { formatDate, formatNear } from "../../messages/format.ts";
import { settingsText } from "../../messages/settings.ts";
import { Badge } from "../../ui/badge.tsx";
import { Button } from "../../ui/button.tsx";

const t = settingsText.keys;

type Props = { keys: readonly ApiKey[]; onRevoke: (key: ApiKey) => void };

export function KeyTable({ keys, onRevoke }: Props) {
  return (
    <table className="table stack settings-keys">
      <caption className="sr-only">{t.label}</caption>
      <thead>
        <tr>
          <th scope="col">{t.name}</th>
          <th scope="col">{t.scope}</th>
          <th scope="col" className="r">
            {t.createdAt}
          </th>
          <th scope="col" className="r">
            {t.lastUsed}
          </th>
          <th scope="col" className="r">
            {t.expires}
          </th>
          <th scope="col">{t.state}</th>
          <th scope="col">
            <span className="sr-only">{t.actions}</span>
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
      <td className="key">
        <b>{name}</b>
        <code>{prefix}…</code>
      </td>
      <td data-label={t.scope}>{t.scopes[scope]}</td>
      <td className="r" data-label={t.createdAt}>
        {formatDate(createdAt, timeZone)}
      </td>
      <td className="r" data-label={t.lastUsed}>
        {lastUsedAt ? formatNear(lastUsedAt, timeZone) : t.never}
      </td>
      <td className="r" data-label={t.expires}>
        {expiresAt ? formatDate(expiresAt, timeZone) : t.neverExpires}
      </td>
      <td className="state">
        <Badge tone={state.tone} icon={state.icon}>
          {state.label}
        </Badge>
      </td>
      <td className="act">
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
