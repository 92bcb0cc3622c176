import { useRouter } from "@tanstack/react-router";
import { type ReactNode, useCallback, useEffect, useRef, useState } from "react";
import { commonText } from "../messages/common.ts";
import { ConfirmDialog } from "./confirm-dialog.tsx";
import { backIsTaken, whenInPlace } from "./use-close-on-back.ts";

const t = commonText.unsaved;

/** Tells whether the form of this name holds something unsaved. */
export type MarkUnsaved = (form: string, unsaved: boolean) => void;

/** The screens' forms that hold something unsaved. */
const screens = new Set<ReadonlySet<string>>();

/** Whether any form on the page holds something unsaved. */
export const anythingUnsaved = (): boolean => [...screens].some(({ size }) => size > 0);

/**
 * Asks before a screen is left with something unsaved in any of its forms; the browser asks before the page itself is left. `ask` asks
 * before anything else that would lose it. `ofWindow`: the forms are of a window, which may change the rest of the address as it closes.
 */
export function useUnsaved(ofWindow = false): {
  mark: MarkUnsaved;
  question: ReactNode;
  ask: (act: () => void) => void;
} {
  const forms = useRef(new Set<string>());
  const mark = useCallback<MarkUnsaved>((form, unsaved) => {
    if (unsaved) forms.current.add(form);
    else forms.current.delete(form);
  }, []);
  const anything = useCallback(() => forms.current.size > 0, []);
  useEffect(() => {
    const here = forms.current;
    screens.add(here);
    return () => void screens.delete(here);
  }, []);
  const { history } = useRouter();
  const [leave, setLeave] = useState<(() => void) | null>(null);
  useEffect(
    () =>
      history.block({
        enableBeforeUnload: anything,
        blockerFn: ({ action, currentLocation, nextLocation }) => {
          const moves = action === "PUSH" || action === "REPLACE";
          if (!moves && backIsTaken()) return false;
          // Whose session has ended can save nothing any more; who ends it is asked before (sign-out.tsx).
          if (!anything() || nextLocation.pathname === "/login") return false;
          if (ofWindow && nextLocation.pathname === currentLocation.pathname) return false;
          // Refused at once and repeated later: while a step back waits for an answer the browser stands behind it already, and another
          // one would leave unasked.
          const steps = nextLocation.state.__TSR_index - currentLocation.state.__TSR_index;
          const { href, state } = nextLocation;
          const go = () => {
            // Answered: where this leads out of the page the browser need not ask again.
            forms.current.clear();
            if (!moves) history.go(steps, { ignoreBlocker: true });
            else history[action === "PUSH" ? "push" : "replace"](href, state, { ignoreBlocker: true });
          };
          // Not before the step is taken back: another Back that meets that would be swallowed, and the question would stay.
          whenInPlace(history, () => setLeave(() => go));
          return true;
        },
      }),
    [history, anything, ofWindow],
  );
  return {
    mark,
    ask: (act) => (anything() ? setLeave(() => act) : act()),
    question: leave && (
      <ConfirmDialog
        question={t.question}
        verb={t.verb}
        back={t.back}
        failure={t.failed}
        onConfirm={async () => leave()}
        onClose={() => setLeave(null)}
      >
        {t.lost}
      </ConfirmDialog>
    ),
  };
}

/** For a window: each way out of it but its own buttons, which are no slip, asks first. `question` is drawn inside. */
export function useAskedLeave(onClose: () => void) {
  const { mark, ask, question } = useUnsaved(true);
  return { mark, question, onLeave: () => ask(onClose) };
}

/** Keeps the mark in step with a form, also when the form goes away. */
export function useMark(mark: MarkUnsaved, form: string, unsaved: boolean): void {
  useEffect(() => {
    mark(form, unsaved);
    return () => mark(form, false);
  }, [mark, form, unsaved]);
}
