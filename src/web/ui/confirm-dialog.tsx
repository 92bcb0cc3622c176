import { type ReactNode, useLayoutEffect, useState } from "react";
import { causeText } from "../api/api-error.ts";
import { commonText } from "../messages/common.ts";
import { Button } from "./button.tsx";
import { Dialog } from "./dialog.tsx";
import { SmallError } from "./error-notice.tsx";

type Props = {
  /** The question, in the product's words. */
  question: string;
  /** What is lost, with its numbers. */
  children: ReactNode;
  /** Whether all of that is known by now: until it is there to be read, nothing can be confirmed. */
  known?: boolean;
  /** Somebody else has done it by now, or it cannot be done any more: nothing is left to ask. */
  moot?: boolean;
  verb: string;
  busyText?: string;
  /** The way out, where «Cancelar» could be taken for the deed itself. */
  back?: string;
  look?: "danger" | "primary";
  /** Heading of the red box when it fails. */
  failure: string;
  /** Does it; the dialog closes when the promise is kept. */
  onConfirm: () => Promise<unknown>;
  onClose: () => void;
};

/** Asks before something is lost. Focus starts on «Cancelar», so that a hasty Enter loses nothing. */
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
  const [fault, setFault] = useState<string | null>(null);
  // What was agreed to: its figures are those of a moment at which there was something to ask.
  const [agreed, setAgreed] = useState({ question, children });
  const shown = busy || moot ? agreed : { question, children };
  // Unless it is being done here, or has failed, which only this window tells.
  const over = moot && !busy && fault === null;
  useLayoutEffect(() => {
    if (over) onClose();
  }, [over, onClose]);
  const confirm = async () => {
    if (!moot) setAgreed(shown);
    setBusy(true);
    setFault(null);
    try {
      await onConfirm();
      onClose();
    } catch (error) {
      setFault(causeText(error));
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
      <div className="dialog-text">{shown.children}</div>
      {fault !== null && <SmallError title={failure} text={fault} />}
    </Dialog>
  );
}
