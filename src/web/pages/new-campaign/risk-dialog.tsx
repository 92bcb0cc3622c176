import { clsx } from "clsx";
import { BadgeCheck, LogOut, type LucideIcon, ShieldAlert, UserRoundCheck } from "lucide-react";
import { useState } from "react";
import { errorTextOf } from "../../api/api-error.ts";
import { commonText } from "../../messages/common.ts";
import { riskText as t } from "../../messages/risk.ts";
import { Button } from "../../ui/button.tsx";
import { Dialog } from "../../ui/dialog.tsx";
import { SmallError } from "../../ui/error-notice.tsx";
import { Icon } from "../../ui/icon.tsx";
import layoutStyles from "../../ui/layout.module.css";
import { FileLink } from "../../ui/text-link.tsx";
import styles from "./risk.module.css";

const POLICY = "https://business.whatsapp.com/policy";

const POINTS: readonly { icon: LucideIcon; title: string; text: string }[] = [
  { icon: UserRoundCheck, title: t.consentTitle, text: t.consent },
  { icon: LogOut, title: t.optOutTitle, text: t.optOut },
  { icon: BadgeCheck, title: t.unofficialTitle, text: t.unofficial },
  { icon: ShieldAlert, title: t.blockTitle, text: t.block },
];

type Props = { onAccept: () => Promise<void>; onClose: () => void };

export function RiskDialog({ onAccept, onClose }: Props) {
  const [busy, setBusy] = useState(false);
  const [error, setError] = useState<unknown>(null);
  const accept = async () => {
    setBusy(true);
    setError(null);
    try {
      await onAccept();
    } catch (error) {
      setError(error);
      setBusy(false);
    }
  };
  return (
    <Dialog
      title={t.title}
      context={t.lead}
      busy={busy}
      onClose={onClose}
      foot={
        <>
          <Button onClick={onClose} disabled={busy}>
            {commonText.cancel}
          </Button>
          <Button look="primary" busy={busy} busyText={t.accepting} onClick={() => void accept()}>
            {t.accept}
          </Button>
        </>
      }
    >
      <ul className={clsx(layoutStyles.stack4, styles.risk)}>
        {POINTS.map(({ icon, title, text }) => (
          <li key={title}>
            <Icon of={icon} />
            <p>
              <strong>{title}</strong> {text}
            </p>
          </li>
        ))}
      </ul>
      <FileLink href={POLICY} target="_blank" rel="noreferrer">
        {t.policy} <span className={layoutStyles.srOnly}>{t.newTab}</span>
      </FileLink>
      {error !== null && <SmallError title={t.failed} text={errorTextOf(error, "")} />}
    </Dialog>
  );
}
