import { clsx } from "clsx";
import { X } from "lucide-react";
import { Dialog as Radix } from "radix-ui";
import { type ComponentProps, type ReactNode, useEffect, useLayoutEffect, useRef, useState } from "react";
import { commonText } from "../messages/common.ts";
import { IconButton } from "./icon-button.tsx";
import { useCloseOnBack } from "./use-close-on-back.ts";

type Props = {
  title: string;
  /** One line of context under the title. */
  context?: ReactNode;
  /** 544, 640 or 928 px; below 768 px a sheet from the bottom. */
  size?: "small" | "mid" | "wide";
  onClose: () => void;
  /** What is done instead on Esc, a press outside and Back, which may be meant for something else. */
  onLeave?: (() => void) | undefined;
  /** Esc, a press outside and Back do nothing: something unsaved would be lost. The cross still closes it. */
  stay?: boolean;
  /** Something is under way whose outcome only this window tells: nothing closes it, the cross neither. */
  busy?: boolean;
  /** Another screen led to it: Back leads there, and does not stop at what lies below. */
  openedFromOtherScreen?: boolean;
  role?: "alertdialog";
  foot?: ReactNode;
  /** Wraps body and foot in a form, so that Enter in a field submits: `formProps` of `useForm`. */
  form?: ComponentProps<"form">;
  children: ReactNode;
};

/** The second of two quick presses on what opened the window lands beside it, and is no wish to close it. */
const DOUBLE_PRESS_MS = 500;

/** Is open while it is rendered. Focus goes in, stays, and comes back to what opened it, or to what is left of its surroundings. */
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
    // The button that was pressed is dead while its answer is under way, and would let the keyboard fall out of the window.
    if (busy && document.activeElement?.matches(":disabled")) content.current?.focus();
  }, [busy]);
  useCloseOnBack(() => !stay && onLeave(), !openedFromOtherScreen);
  const [opened] = useState(() => performance.now());
  const keep = (event: Event) => {
    // In a search that has words Esc clears them, and no more.
    if (stay || (event.target as Element).matches("[type=search]:not(:placeholder-shown)"))
      event.preventDefault();
  };
  const inside = (
    <>
      <div className="dialog-body">{children}</div>
      {foot && <div className="dialog-foot">{foot}</div>}
    </>
  );
  return (
    <Radix.Root open onOpenChange={(open) => !open && onLeave()}>
      <Radix.Portal>
        <Radix.Overlay className="overlay" />
        <div className="dialog-place">
          <Radix.Content
            ref={content}
            className={clsx("dialog", size)}
            {...(role ? { role } : {})}
            {...(context ? {} : { "aria-describedby": undefined })}
            onOpenAutoFocus={focusFirstField}
            onCloseAutoFocus={(event) => {
              // The library knows only triggers of its own, and would leave the keyboard at the top of the page.
              event.preventDefault();
              // Another window has taken the place of this one.
              if (document.activeElement?.closest(".dialog")) return;
              const [opener] = way;
              if (opener?.isConnected) opener.focus();
              else if (document.activeElement === document.body)
                way.find(({ isConnected }) => isConnected)?.focus({ preventScroll: true });
            }}
            onEscapeKeyDown={keep}
            onInteractOutside={(event) => {
              // A press on a toast, which lies above, is no wish to close.
              const toast = (event.target as Element).closest("[data-sonner-toaster]");
              const doubled = event.detail.originalEvent.timeStamp - opened < DOUBLE_PRESS_MS;
              if (stay || toast || doubled) event.preventDefault();
            }}
          >
            <div className="dialog-head">
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
                  // Not `disabled`: whoever stands on it by keyboard would be thrown out of the window.
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

/** Of the open windows, the uppermost last. */
const ways: HTMLElement[][] = [];

/**
 * What opened a dialog, then what is around it and takes the keyboard, from the inside out; at last the same of the window below, which
 * this one may be about to replace.
 */
function returnTo(): HTMLElement[] {
  const way: HTMLElement[] = [];
  for (let each = openerNow(); each; each = each.parentElement?.closest<HTMLElement>("[tabindex]") ?? null)
    way.push(each);
  return [...way, ...(ways.at(-1) ?? [])];
}

/** An open window pulls the keyboard back from wherever it goes; of its way to the notices above, to take something back, it hears nothing. */
function letToNotices() {
  const hide = (event: FocusEvent) => {
    const to = event.type === "focusin" ? event.target : event.relatedTarget;
    if (to instanceof Element && to.closest("[data-sonner-toaster]")) event.stopPropagation();
  };
  // Above the page's root, which the notices themselves hear from, and below the document, where the library listens.
  for (const type of ["focusin", "focusout"] as const) document.body.addEventListener(type, hide);
  return () => {
    for (const type of ["focusin", "focusout"] as const) document.body.removeEventListener(type, hide);
  };
}

/** What was pressed to open a dialog; for an entry of a menu, which is gone by then, the button of the menu. */
function openerNow(): HTMLElement | null {
  const pressed = document.activeElement;
  const button = pressed?.closest("[role=menu]")?.getAttribute("aria-labelledby");
  const opener = button ? document.getElementById(button) : pressed;
  return opener instanceof HTMLElement && opener !== document.body ? opener : null;
}

/**
 * The first field, not the closing cross, which only comes first. On a touch screen the window itself: focus in a field would bring up
 * the keyboard before anybody has read what is asked. A confirming window starts on its way out («Cancelar»); by `autoFocus` it would
 * be there before the library looks, which could then not bring back a keyboard that something takes out of the window.
 */
function focusFirstField(event: Event) {
  const content = event.target as HTMLElement;
  const confirms = content.role === "alertdialog";
  const first = content.querySelector<HTMLElement>(confirms ? ".dialog-foot button" : FIELDS);
  if (!first) return;
  event.preventDefault();
  const to = confirms || matchMedia("(pointer: fine)").matches ? first : content;
  if (document.activeElement !== document.body) return to.focus();
  // Opened with the page. To bring the keyboard to it would lay out at once all that was just drawn: that is left to the next frame.
  setTimeout(() => {
    if (!content.contains(document.activeElement)) to.focus();
  });
}

const FIELDS =
  ".dialog-body :is(input:not([tabindex='-1']), textarea, select, [role=tab][data-state=active])";
