import { useBlocker } from "@tanstack/react-router";
import { type ReactNode, useCallback, useEffect, useRef } from "react";
import { ConfirmDialog } from "../../components/confirm-dialog.tsx";
import { settingsText } from "../../messages/settings.ts";

const t = settingsText.leave;

/** Tells whether the form of this name holds something unsaved. */
export type MarkUnsaved = (form: string, unsaved: boolean) => void;

/** Asks before a screen is left with something unsaved in any of its forms; the browser asks before the page itself is left. */
export function useUnsaved(): { mark: MarkUnsaved; question: ReactNode } {
  const forms = useRef(new Set<string>());
  const mark = useCallback<MarkUnsaved>((form, unsaved) => {
    if (unsaved) forms.current.add(form);
    else forms.current.delete(form);
  }, []);
  const anything = useCallback(() => forms.current.size > 0, []);
  const leaving = useBlocker({
    // Whose session has ended can save nothing any more.
    shouldBlockFn: useCallback(({ next }) => anything() && next.pathname !== "/login", [anything]),
    enableBeforeUnload: anything,
    withResolver: true,
  });
  return {
    mark,
    question: leaving.status === "blocked" && (
      <ConfirmDialog
        question={t.question}
        verb={t.verb}
        back={t.back}
        failure={t.failed}
        onConfirm={async () => leaving.proceed()}
        onClose={leaving.reset}
      >
        {t.lost}
      </ConfirmDialog>
    ),
  };
}

/** Keeps the mark in step with a form, also when the form goes away. */
export function useMark(mark: MarkUnsaved, form: string, unsaved: boolean): void {
  useEffect(() => {
    mark(form, unsaved);
    return () => mark(form, false);
  }, [mark, form, unsaved]);
}
