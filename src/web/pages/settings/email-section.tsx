import { useQueryClient } from "@tanstack/react-query";
import { Send } from "lucide-react";
import { useState } from "react";
import type { Notifications } from "../../../contract/settings.ts";
import { errorTextOf } from "../../api/api-error.ts";
import { api } from "../../api/call.ts";
import { useMe } from "../../api/me.ts";
import { notificationsQuery } from "../../api/notifications.ts";
import { formatNear } from "../../messages/format.ts";
import { settingsText } from "../../messages/settings.ts";
import { Button } from "../../ui/button.tsx";
import { SectionCard } from "../../ui/card.tsx";
import { SmallError } from "../../ui/error-notice.tsx";
import fieldStyles from "../../ui/field.module.css";
import layoutStyles from "../../ui/layout.module.css";
import { Notice } from "../../ui/notice.tsx";
import { ChoiceBox } from "./choice-box.tsx";
import { ConfirmationNotice } from "./confirmation-notice.tsx";
import styles from "./settings.module.css";
import type { Choice, ChoiceName } from "./use-choices.ts";

const t = settingsText.notifications.email;

const NAMES = [
  "emailCampaignCompleted",
  "emailDeliveryIssues",
  "emailAccountUpdates",
  "emailMarketing",
  "emailProduct",
] as const;

type Props = { mail: Notifications["mail"]; choices: (name: ChoiceName) => Choice };

export function EmailSection({ mail, choices }: Props) {
  const { email, confirmation } = useMe();
  const waits = confirmation !== null && !confirmation.change;
  return (
    <SectionCard title={t.title} explained={waits ? t.explainedWaiting(email) : t.explained(email)}>
      {!mail.configured && (
        <Notice tone="warning">
          <p>
            <strong>{t.off}</strong> {t.offText}
          </p>
        </Notice>
      )}
      {mail.closed && (
        <Notice tone="warning">
          <p>
            <strong>{t.closed}</strong> {t.closedText}
          </p>
        </Notice>
      )}
      <ConfirmationNotice />
      <fieldset className={fieldStyles.field}>
        <legend className={layoutStyles.srOnly}>{t.legend}</legend>
        {NAMES.map((name) => (
          <ChoiceBox key={name} name={name} choice={choices(name)} />
        ))}
      </fieldset>
      {mail.configured && !mail.closed && <Emails mail={mail} />}
    </SectionCard>
  );
}

function Emails({ mail: { last } }: { mail: Notifications["mail"] }) {
  const { timeZone } = useMe();
  const { busy, error, send } = useTest();
  const at = last && formatNear(last.at, timeZone);
  return (
    <>
      {error !== null && <SmallError title={t.testFailed} text={errorTextOf(error, "")} />}
      {last?.error && <SmallError title={t.notSent(last.subject, at ?? "")} text={last.error} />}
      <div className={styles.settingsLine}>
        <p role="status">{last ? !last.error && t.sent(last.subject, at ?? "") : t.never}</p>
        <Button icon={Send} busy={busy} busyText={t.testing} onClick={send}>
          {t.test}
        </Button>
      </div>
    </>
  );
}

function useTest() {
  const queries = useQueryClient();
  const [busy, setBusy] = useState(false);
  const [error, setError] = useState<unknown>(null);
  const send = async () => {
    setBusy(true);
    setError(null);
    try {
      const { mail } = await api("POST /api/settings/notifications/test");
      queries.setQueryData(notificationsQuery.queryKey, (known) => known && { ...known, mail });
    } catch (thrown) {
      setError(thrown);
    } finally {
      setBusy(false);
    }
  };
  return { busy, error, send };
}
