import type { ComponentProps, ReactNode } from "react";
import { commonText } from "../messages/common.ts";
import { Button } from "./button.tsx";
import styles from "./dialog.module.css";
import { Dialog } from "./dialog.tsx";
import { useAskedLeave, useMark } from "./use-unsaved.tsx";

type Props = Pick<ComponentProps<typeof Dialog>, "title" | "context" | "size" | "onClose" | "children"> & {
  form: { busy: boolean; unsaved?: boolean; formProps: ComponentProps<"form"> };
  verb: string;
  busyText: string;
  look?: "primary" | "danger";
  /** In the place of «Cancelar»: to the step before. */
  onBack?: () => void;
  note?: string | null;
  children: ReactNode;
};

export function FormDialog({
  form,
  verb,
  busyText,
  look = "primary",
  onBack,
  note,
  onClose,
  children,
  ...rest
}: Props) {
  const { mark, question, onLeave } = useAskedLeave(onClose);
  useMark(mark, "window", form.unsaved ?? false);
  return (
    <Dialog
      {...rest}
      onClose={onClose}
      onLeave={onLeave}
      busy={form.busy}
      form={form.formProps}
      foot={
        <>
          {note && (
            <p className={styles.footNote} role="status">
              {note}
            </p>
          )}
          <Button onClick={onBack ?? onClose} disabled={form.busy}>
            {onBack ? commonText.back : commonText.cancel}
          </Button>
          <Button type="submit" look={look} busy={form.busy} busyText={busyText}>
            {verb}
          </Button>
        </>
      }
    >
      {children}
      {question}
    </Dialog>
  );
}
