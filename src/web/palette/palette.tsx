import * as Dialog from "@radix-ui/react-dialog";
import { clsx } from "clsx";
import { Search, SearchX, X } from "lucide-react";
import { type KeyboardEvent, type RefObject, useEffect, useId, useRef, useState } from "react";
import { commonText } from "../messages/common.ts";
import { paletteText as t } from "../messages/palette.ts";
import dialogStyles from "../ui/dialog.module.css";
import { ErrorNotice } from "../ui/error-notice.tsx";
import { Icon } from "../ui/icon.tsx";
import { IconButton } from "../ui/icon-button.tsx";
import keyHintStyles from "../ui/key-hint.module.css";
import layoutStyles from "../ui/layout.module.css";
import textStyles from "../ui/text.module.css";
import { useCloseOnBack } from "../ui/use-close-on-back.ts";
import styles from "./palette.module.css";
import { PaletteList } from "./palette-list.tsx";
import { matching, type PaletteOption } from "./palette-options.ts";
import { useCommands, useGo } from "./use-commands.ts";
import { useFound } from "./use-found.ts";

type Props = {
  opener: Element | null;
  early: string;
  onClose: () => void;
};

export function Palette({ opener, early, onClose }: Props) {
  const input = useRef<HTMLInputElement>(null);
  useCloseOnBack(onClose);
  return (
    <Dialog.Root open onOpenChange={(open) => !open && onClose()}>
      <Dialog.Portal>
        <Dialog.Overlay className={dialogStyles.overlay} data-ui="overlay" />
        <div className={styles.palettePlace}>
          <Dialog.Content
            className={clsx(layoutStyles.column, styles.palette)}
            aria-describedby={undefined}
            onOpenAutoFocus={(event) => {
              event.preventDefault();
              input.current?.focus();
            }}
            onCloseAutoFocus={(event) => {
              event.preventDefault();
              // The new screen has taken the focus.
              if (document.activeElement !== document.body) return;
              if (opener instanceof HTMLElement && opener.isConnected) opener.focus();
            }}
          >
            <Dialog.Title className={layoutStyles.srOnly}>{t.title}</Dialog.Title>
            <Finder input={input} early={early} onClose={onClose} />
          </Dialog.Content>
        </div>
      </Dialog.Portal>
    </Dialog.Root>
  );
}

type FinderProps = Omit<Props, "opener"> & { input: RefObject<HTMLInputElement | null> };

function Finder({ input, early, onClose }: FinderProps) {
  const id = useId();
  const [typed, setTyped] = useState(early);
  const commands = useCommands();
  const found = useFound(typed, useGo());
  const options = [...matching(commands, typed), ...found.options];
  const { active, chosen, choose, move } = useActive(options);
  const run = (option: PaletteOption) => {
    onClose();
    option.run();
  };
  // Results of former words are not what Enter means: wait.
  const stale = found.pending && !chosen && (active === null || found.options.includes(active));
  const [wished, setWished] = useState(false);
  useEffect(() => {
    if (!wished || found.pending) return;
    setWished(false);
    if (active) run(active);
  });
  const onKeyDown = (event: KeyboardEvent) => {
    // Enter ends IME composition only.
    if (event.nativeEvent.isComposing) return;
    if (event.key === "Enter" && stale) setWished(true);
    else if (event.key === "Enter" && active) run(active);
    else if (!move(event.key)) return;
    event.preventDefault();
  };
  const optionId = (option: PaletteOption) => `${id}-${option.id}`;
  const nothing = options.length === 0 && !found.pending && found.error === null;
  return (
    <>
      <div className={clsx(layoutStyles.row3, styles.paletteHead)}>
        <Icon of={Search} className={textStyles.muted} />
        <input
          ref={input}
          role="combobox"
          aria-label={t.label}
          aria-expanded={options.length > 0}
          aria-controls={`${id}-list`}
          aria-autocomplete="list"
          aria-activedescendant={active ? optionId(active) : undefined}
          placeholder={t.placeholder}
          autoComplete="off"
          autoCapitalize="none"
          spellCheck={false}
          enterKeyHint="go"
          maxLength={200}
          value={typed}
          onChange={(event) => {
            setTyped(event.target.value);
            setWished(false);
            choose(null);
          }}
          onKeyDown={onKeyDown}
        />
        <IconButton plain label={commonText.close} icon={X} onClick={onClose} />
      </div>
      <div className={styles.paletteBody}>
        <PaletteList
          id={`${id}-list`}
          options={options}
          active={active}
          optionId={optionId}
          busy={found.pending}
          onPoint={choose}
          onRun={run}
        />
        {found.pending && <p className={clsx(textStyles.quiet, styles.paletteWait)}>{t.searching}</p>}
        {found.error !== null && (
          <div className={styles.paletteFault}>
            <ErrorNotice title={t.failed} error={found.error} onRetry={found.retry} busy={found.busy} />
          </div>
        )}
        {nothing && (
          <div className={styles.paletteNone}>
            <Icon of={SearchX} />
            <strong>{t.nothing(typed.trim())}</strong>
            <p>{t.nothingHint}</p>
          </div>
        )}
      </div>
      <p className={layoutStyles.srOnly} role="status">
        {nothing ? t.nothing(typed.trim()) : found.pending ? "" : t.found(options.length)}
      </p>
      <Hints />
    </>
  );
}

function useActive(options: readonly PaletteOption[]) {
  const [id, setId] = useState<string | null>(null);
  const at = Math.max(
    0,
    options.findIndex((option) => option.id === id),
  );
  const last = options.length - 1;
  const active = options[at] ?? null;
  const steps: Record<string, number> = {
    ArrowDown: at === last ? 0 : at + 1,
    ArrowUp: at === 0 ? last : at - 1,
    Home: 0,
    End: last,
  };
  const scroll = useRef(false);
  useEffect(() => {
    if (!scroll.current) return;
    scroll.current = false;
    document.querySelector("[role=option][aria-selected=true]")?.scrollIntoView({ block: "nearest" });
  });
  return {
    active,
    chosen: active !== null && active.id === id,
    choose: (option: PaletteOption | null) => setId(option?.id ?? null),
    move: (key: string) => {
      const to = options[steps[key] ?? -1];
      if (!to) return false;
      scroll.current = true;
      setId(to.id);
      return true;
    },
  };
}

function Hints() {
  return (
    <p className={clsx(textStyles.fine, styles.paletteHints)} aria-hidden="true">
      <span>
        <kbd className={keyHintStyles.keys} data-ui="keys">
          ↑
        </kbd>{" "}
        <kbd className={keyHintStyles.keys} data-ui="keys">
          ↓
        </kbd>{" "}
        {t.hints.choose}
      </span>
      <span>
        <kbd className={keyHintStyles.keys} data-ui="keys">
          Enter
        </kbd>{" "}
        {t.hints.open}
      </span>
      <span>
        <kbd className={keyHintStyles.keys} data-ui="keys">
          Esc
        </kbd>{" "}
        {t.hints.close}
      </span>
    </p>
  );
}
