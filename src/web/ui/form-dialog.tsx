import type { ComponentProps, ReactNode } from "react";
import { commonText } from "../messages/common.ts";
import { Button } from "./button.tsx";
import { Dialog } from "./dialog.tsx";
import { useAskedLeave, useMark } from "./use-unsaved.tsx";

type Props = Pick<ComponentProps<typeof Dialog>, "title" | "context" | "size" | "onClose" | "children"> & {
  form: { busy: boolean; unsaved?: boolean; formProps: ComponentProps<"form"> };
  verb: string;
  busyText: string;
  look?: "primary" | "danger";
  children: ReactNode;
};

export function FormDialog({ form, verb, busyText, look = "primary", onClose, children, ...rest }: Props) {
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
          <Button onClick={onClose} disabled={form.busy}>
            {commonText.cancel}
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
