import * as Radix from "@radix-ui/react-dialog";
import { X } from "lucide-react";
import { type ComponentProps, type ReactNode, useEffect, useLayoutEffect, useRef, useState } from "react";
import { commonText } from "../messages/common.ts";
import styles from "./dialog.module.css";
import { IconButton } from "./icon-button.tsx";
import { useCloseOnBack } from "./use-close-on-back.ts";

type Props = {
  title: string;
  context?: ReactNode;
  /** 544, 640 or 928 px; below 768 px a bottom sheet. */
  size?: "small" | "mid" | "wide";
  onClose: () => void;
  /** Replaces closing on Esc, a press outside and Back. */
  onLeave?: (() => void) | undefined;
  /**
   * Esc, a press outside and Back do nothing, because unsaved input would be lost; the cross still closes.
   */
  stay?: boolean;
  /** Nothing closes it, not even the cross: only this dialog shows the result of what is pending. */
  busy?: boolean;
  /** Opened from another screen: Back returns there, not to the screen below. */
  openedFromOtherScreen?: boolean;
  role?: "alertdialog";
  foot?: ReactNode;
  form?: ComponentProps<"form">;
  children: ReactNode;
};

/** The second press of a double click on the opener lands outside the dialog and must not close it. */
const DOUBLE_PRESS_MS = 500;

export function Dialog({
  title,
  context,
  size = "small",
  onClose,
  onLeave = onClose,
  stay: unsaved,
  busy,
  openedFromOtherScreen,
  role,
  foot,
  form,
  children,
}: Props) {
  const [way] = useState(returnTo);
  useLayoutEffect(() => {
    ways.push(way);
    return () => {
      ways.splice(ways.indexOf(way), 1);
    };
  }, [way]);
  useEffect(letToNotices, []);
  const stay = unsaved || busy;
  const content = useRef<HTMLDivElement>(null);
  useEffect(() => {
    // The pressed button is disabled while pending and would drop the focus out of the dialog.
    if (busy && document.activeElement?.matches(":disabled")) content.current?.focus();
  }, [busy]);
  useCloseOnBack(() => !stay && onLeave(), !openedFromOtherScreen);
  const [opened] = useState(() => performance.now());
  const keep = (event: Event) => {
    // In a non-empty search field Esc only clears the text.
    if (stay || (event.target as Element).matches("[type=search]:not(:placeholder-shown)"))
      event.preventDefault();
  };
  const inside = (
    <>
      <div className={styles.dialogBody} data-ui="dialog-body">
        {children}
      </div>
      {foot && (
        <div className={styles.dialogFoot} data-ui="dialog-foot">
          {foot}
        </div>
      )}
    </>
  );
  return (
    <Radix.Root open onOpenChange={(open) => !open && onLeave()}>
      <Radix.Portal>
        <Radix.Overlay className={styles.overlay} data-ui="overlay" />
        <div className={styles.dialogPlace} data-ui="dialog-place">
          <Radix.Content
            ref={content}
            className={styles.dialog}
            data-ui="dialog"
            data-size={size}
            {...(role ? { role } : {})}
            {...(context ? {} : { "aria-describedby": undefined })}
            onOpenAutoFocus={focusFirstField}
            onCloseAutoFocus={(event) => {
              // Radix knows only its own triggers and would leave the focus at the top of the page.
              event.preventDefault();
              if (document.activeElement?.closest("[data-ui~=dialog]")) return;
              const [opener] = way;
              if (opener?.isConnected) opener.focus();
              else if (document.activeElement === document.body)
                way.find(({ isConnected }) => isConnected)?.focus({ preventScroll: true });
            }}
            onEscapeKeyDown={keep}
            onInteractOutside={(event) => {
              const toast = (event.target as Element).closest("[data-sonner-toaster]");
              const doubled = event.detail.originalEvent.timeStamp - opened < DOUBLE_PRESS_MS;
              if (stay || toast || doubled) event.preventDefault();
            }}
          >
            <div className={styles.dialogHead}>
              <div>
                <Radix.Title>{title}</Radix.Title>
                {context && (
                  <Radix.Description asChild>
                    <p>{context}</p>
                  </Radix.Description>
                )}
              </div>
              {!role && (
                <IconButton
                  plain
                  label={commonText.close}
                  icon={X}
                  // Not `disabled`: that would drop the keyboard focus out of the dialog.
                  aria-disabled={busy || undefined}
                  onClick={() => !busy && onClose()}
                />
              )}
            </div>
            {form ? <form {...form}>{inside}</form> : inside}
          </Radix.Content>
        </div>
      </Radix.Portal>
    </Radix.Root>
  );
}

const ways: HTMLElement[][] = [];

function returnTo(): HTMLElement[] {
  const way: HTMLElement[] = [];
  for (let each = openerNow(); each; each = each.parentElement?.closest<HTMLElement>("[tabindex]") ?? null)
    way.push(each);
  return [...way, ...(ways.at(-1) ?? [])];
}

/** Lets the focus leave an open dialog for the toasts above, whose Undo would otherwise be out of reach. */
function letToNotices() {
  const hide = (event: FocusEvent) => {
    const to = event.type === "focusin" ? event.target : event.relatedTarget;
    if (to instanceof Element && to.closest("[data-sonner-toaster]")) event.stopPropagation();
  };
  // Above the page's root, where the toasts listen, and below the document, where Radix listens.
  for (const type of ["focusin", "focusout"] as const) document.body.addEventListener(type, hide);
  return () => {
    for (const type of ["focusin", "focusout"] as const) document.body.removeEventListener(type, hide);
  };
}

/** What opened the dialog; for a menu entry, which is gone, the menu's button. */
function openerNow(): HTMLElement | null {
  const pressed = document.activeElement;
  const button = pressed?.closest("[role=menu]")?.getAttribute("aria-labelledby");
  const opener = button ? document.getElementById(button) : pressed;
  return opener instanceof HTMLElement && opener !== document.body ? opener : null;
}

/**
 * Focuses the first field, not the cross; on touch the dialog, as a field opens the keyboard; a confirmation
 * starts on «Cancelar», since Radix could not restore an `autoFocus` target.
 */
function focusFirstField(event: Event) {
  const content = event.target as HTMLElement;
  const confirms = content.role === "alertdialog";
  const first = content.querySelector<HTMLElement>(confirms ? "[data-ui~=dialog-foot] button" : FIELDS);
  if (!first) return;
  event.preventDefault();
  const to = confirms || matchMedia("(pointer: fine)").matches ? first : content;
  if (document.activeElement !== document.body) return to.focus();
  // Opened with the page: focusing now would force a layout of all that was just drawn, so wait for the next
  // frame.
  setTimeout(() => {
    if (!content.contains(document.activeElement)) to.focus();
  });
}

const FIELDS =
  "[data-ui~=dialog-body] :is(input:not([tabindex='-1']), textarea, select, [role=tab][data-state=active])";
