import { type ReactNode, useLayoutEffect, useState } from "react";
import { causeText } from "../api/api-error.ts";
import { commonText } from "../messages/common.ts";
import { Button } from "./button.tsx";
import dialogStyles from "./dialog.module.css";
import { Dialog } from "./dialog.tsx";
import { SmallError } from "./error-notice.tsx";

type Props = {
  question: string;
  children: ReactNode;
  /** False while figures load: confirming is disabled until they can be read. */
  known?: boolean;
  /** It was done elsewhere or is no longer possible: nothing to confirm. */
  moot?: boolean;
  verb: string;
  busyText?: string;
  /** Label of the way out where «Cancelar» could mean the action itself. */
  back?: string;
  look?: "danger" | "primary";
  failure: string;
  /** The dialog closes when the promise resolves. */
  onConfirm: () => Promise<unknown>;
  onClose: () => void;
};

/** Confirms a loss. Focus starts on «Cancelar», so that a hasty Enter loses nothing. */
export function ConfirmDialog({
  question,
  children,
  known = true,
  moot = false,
  verb,
  busyText,
  back = commonText.cancel,
  look = "danger",
  failure,
  onConfirm,
  onClose,
}: Props) {
  const [busy, setBusy] = useState(false);
  const [error, setError] = useState<string | null>(null);
  // Keeps the figures of the last moment at which there was something to confirm.
  const [agreed, setAgreed] = useState({ question, children });
  const shown = busy || moot ? agreed : { question, children };
  // Not while it runs here or has failed, which only this dialog shows.
  const over = moot && !busy && error === null;
  useLayoutEffect(() => {
    if (over) onClose();
  }, [over, onClose]);
  const confirm = async () => {
    if (!moot) setAgreed(shown);
    setBusy(true);
    setError(null);
    try {
      await onConfirm();
      onClose();
    } catch (error) {
      setError(causeText(error));
      setBusy(false);
    }
  };
  return (
    <Dialog
      title={shown.question}
      role="alertdialog"
      busy={busy}
      onClose={onClose}
      foot={
        <>
          <Button onClick={onClose} disabled={busy}>
            {back}
          </Button>
          <Button
            look={look}
            busy={busy}
            disabled={!known}
            {...(busyText ? { busyText } : {})}
            onClick={confirm}
          >
            {verb}
          </Button>
        </>
      }
    >
      <div className={dialogStyles.dialogText}>{shown.children}</div>
      {error !== null && <SmallError title={failure} text={error} />}
    </Dialog>
  );
}
