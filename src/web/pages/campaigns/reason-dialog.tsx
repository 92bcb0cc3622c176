import { useLayoutEffect, useState } from "react";
import type { Campaign } from "../../../contract/campaigns.ts";
import { asksReason, REASON_MAX } from "../../../domain/breaker.ts";
import { causeText } from "../../api/api-error.ts";
import { useMe } from "../../api/me.ts";
import { causeWords } from "../../lib/cause-words.ts";
import { campaignsText as t } from "../../messages/campaigns.ts";
import { Button } from "../../ui/button.tsx";
import dialogStyles from "../../ui/dialog.module.css";
import { Dialog } from "../../ui/dialog.tsx";
import { SmallError } from "../../ui/error-notice.tsx";
import { TextArea } from "../../ui/inputs.tsx";
import type { useCampaignAction } from "./use-campaign-action.ts";

type Props = { campaign: Campaign; actions: ReturnType<typeof useCampaignAction> };

export function ReasonDialog({ campaign, actions }: Props) {
  const { timeZone } = useMe();
  const [reason, setReason] = useState("");
  const [missing, setMissing] = useState(false);
  const [busy, setBusy] = useState(false);
  const [error, setError] = useState<string | null>(null);
  const { fact, next } = causeWords(campaign, timeZone);
  const { close } = actions;
  const over = !busy && error === null && !asksReason(campaign.cause);
  useLayoutEffect(() => {
    if (over) close();
  }, [over, close]);
  const send = async () => {
    setMissing(reason.trim() === "");
    if (reason.trim() === "") return;
    setBusy(true);
    setError(null);
    try {
      await actions.continueDespite(reason.trim());
      close();
    } catch (error) {
      setError(causeText(error));
      setBusy(false);
    }
  };
  return (
    <Dialog
      title={t.despite.question(campaign.name)}
      busy={busy}
      onClose={close}
      foot={
        <>
          <Button onClick={close} disabled={busy}>
            {t.back}
          </Button>
          <Button look="primary" busy={busy} onClick={send}>
            {t.resume}
          </Button>
        </>
      }
    >
      <div className={dialogStyles.dialogText}>
        <strong>{fact}</strong> {next}
      </div>
      <TextArea
        label={t.despite.reason}
        hint={t.despite.hint}
        rows={3}
        maxLength={REASON_MAX}
        value={reason}
        error={missing ? t.despite.missing : null}
        onChange={(event) => setReason(event.target.value)}
      />
      {error !== null && <SmallError title={t.failed.resume} text={error} />}
    </Dialog>
  );
}
