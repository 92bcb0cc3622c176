import { type BlockerFn, type RouterHistory, useRouter } from "@tanstack/react-router";
import { type ReactNode, useCallback, useEffect, useRef, useState } from "react";
import { commonText } from "../messages/common.ts";
import { ConfirmDialog } from "./confirm-dialog.tsx";
import { afterUndo, backIsTaken } from "./use-close-on-back.ts";

const t = commonText.unsaved;

export type MarkUnsaved = (form: string, unsaved: boolean) => void;

const screens = new Set<ReadonlySet<string>>();

export const anythingUnsaved = (): boolean => [...screens].some(({ size }) => size > 0);

/**
 * Asks before navigation loses unsaved input; the browser asks before unload. `ofWindow`: forms of a dialog,
 * which may change the search parameters on closing.
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
        blockerFn: (refused) => {
          const { action, currentLocation, nextLocation } = refused;
          const moves = action === "PUSH" || action === "REPLACE";
          if (!moves && backIsTaken()) return false;
          if (!anything() || nextLocation.pathname === "/login") return false;
          if (ofWindow && nextLocation.pathname === currentLocation.pathname) return false;
          // Refused at once and repeated later: while a Back waits, the browser is already behind it, and
          // another would leave unasked.
          const go = () => {
            forms.current.clear();
            repeat(history, refused);
          };
          const question = () => setLeave(() => go);
          // Only after the undo: a Back that meets it would be lost and the question would stay.
          if (moves) question();
          else afterUndo(question);
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

/** A jump over several entries is repeated as a step to its target: how far it went is the router's secret. */
function repeat(history: RouterHistory, { action, nextLocation }: Parameters<BlockerFn>[0]): void {
  const { href, state } = nextLocation;
  const ignoreBlocker = { ignoreBlocker: true };
  if (action === "BACK") history.back(ignoreBlocker);
  else if (action === "FORWARD") history.forward(ignoreBlocker);
  else if (action === "REPLACE") history.replace(href, state, ignoreBlocker);
  else history.push(href, state, ignoreBlocker);
}

/** `question` is rendered inside. */
export function useAskedLeave(onClose: () => void) {
  const { mark, ask, question } = useUnsaved(true);
  return { mark, question, onLeave: () => ask(onClose) };
}

export function useMark(mark: MarkUnsaved, form: string, unsaved: boolean): void {
  useEffect(() => {
    mark(form, unsaved);
    return () => mark(form, false);
  }, [mark, form, unsaved]);
}
