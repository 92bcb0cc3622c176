import { useQuery } from "@tanstack/react-query";
import { type KeyboardEvent, useState } from "react";
import type { MessageTemplate } from "../../../contract/library.ts";
import { suggestionsQuery } from "../../api/templates.ts";
import { usePaused } from "../../lib/use-paused.ts";

const NONE: readonly MessageTemplate[] = [];

/** A text after `/` searches the library. */
export function useSuggestions(text: string, onChoose: (template: MessageTemplate) => void) {
  const search = /^\/([^\n/]{0,60})$/.exec(text)?.[1] ?? null;
  const [dismissed, setDismissed] = useState(false);
  const [pointed, setPointed] = useState<number | null>(null);
  if (search === null && dismissed) setDismissed(false);
  const open = search !== null && !dismissed;
  const words = (search ?? "").trim();
  const paused = usePaused(words);
  const query = useQuery(suggestionsQuery(open ? paused : null));
  const waits = open && (paused !== words || query.isPending || query.isPlaceholderData);
  const options = open ? (query.data?.items ?? NONE) : NONE;
  const active = options.find(({ id }) => id === pointed) ?? options[0] ?? null;

  const move = (by: number) => {
    const at = options.findIndex(({ id }) => id === active?.id);
    setPointed(options.at((at + by) % options.length)?.id ?? null);
  };
  /** False: the field itself takes the key. */
  const act = (key: string): boolean => {
    if (key === "Escape") setDismissed(true);
    else if (key === "Enter" && active && !waits) onChoose(active);
    else if ((key === "ArrowDown" || key === "ArrowUp") && options.length > 0)
      move(key === "ArrowDown" ? 1 : -1);
    // What is still searched for must not be sent as a text.
    else return key === "Enter" && waits;
    return true;
  };
  const onKeyDown = (event: KeyboardEvent): boolean => {
    if (!open || event.shiftKey || event.nativeEvent.isComposing || !act(event.key)) return false;
    event.preventDefault();
    event.stopPropagation();
    return true;
  };
  return { open, waits, options, active, failed: open && query.isError, point: setPointed, onKeyDown };
}
