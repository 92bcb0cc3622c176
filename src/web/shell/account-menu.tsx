import { useNavigate } from "@tanstack/react-router";
import { clsx } from "clsx";
import { ChevronDown, Languages, LogOut, Monitor, Moon, Settings, Sun } from "lucide-react";
import type { Language } from "../../contract/accounts.ts";
import { errorTextOf } from "../api/api-error.ts";
import { LANGUAGES, setLanguage } from "../api/language.ts";
import { useMe } from "../api/me.ts";
import { setTheme, type Theme, useTheme } from "../lib/theme.ts";
import { commonText } from "../messages/common.ts";
import { initial } from "../messages/format.ts";
import { LANGUAGE } from "../messages/locale.ts";
import { shellText as t } from "../messages/shell.ts";
import { useLogout } from "../session/sign-out.tsx";
import avatarStyles from "../ui/avatar.module.css";
import { Icon } from "../ui/icon.tsx";
import layoutStyles from "../ui/layout.module.css";
import { Menu, type MenuEntry } from "../ui/menu.tsx";
import textStyles from "../ui/text.module.css";
import { toastFailed } from "../ui/toast.tsx";
import styles from "./shell.module.css";

const ICONS = { light: Sun, dark: Moon, system: Monitor };
const THEMES: Theme[] = ["light", "dark", "system"];

export function AccountMenu() {
  const me = useMe();
  const navigate = useNavigate();
  const logout = useLogout();
  const themes = useThemeEntries();
  const entries: MenuEntry[] = [
    ...themes,
    ...languageEntries(),
    { label: t.settings, icon: Settings, apart: true, onSelect: () => void navigate({ to: "/settings" }) },
    { label: t.logout, icon: LogOut, onSelect: logout },
  ];
  const trigger = (
    <button type="button" className={styles.who}>
      <span className={layoutStyles.srOnly}>{t.account}</span>
      <span className={avatarStyles.avatar} data-ui="avatar" aria-hidden="true">
        {initial(me.name)}
      </span>
      <span className={layoutStyles.readOut}>
        <b className={textStyles.clip} data-ui="clip">
          {me.name}
        </b>
        <span className={clsx(textStyles.quiet, layoutStyles.block, textStyles.clip)} data-ui="clip">
          {me.email}
        </span>
      </span>
      <Icon of={ChevronDown} sm className={clsx(textStyles.muted, layoutStyles.wideOnly)} />
    </button>
  );
  return (
    <Menu
      label={t.account}
      trigger={trigger}
      head={
        <>
          <strong>{me.name}</strong>
          <span>{me.email}</span>
        </>
      }
      entries={entries}
    />
  );
}

function useThemeEntries(): MenuEntry[] {
  const theme = useTheme();
  return THEMES.map((each, at) => ({
    label: t.themes[each],
    icon: ICONS[each],
    apart: at === 0,
    chosen: each === theme,
    onSelect: () => setTheme(each),
  }));
}

function languageEntries(): MenuEntry[] {
  return LANGUAGES.map(({ id, name }, at) => ({
    label: name,
    lang: id,
    icon: Languages,
    apart: at === 0,
    chosen: id === LANGUAGE,
    onSelect: () => void (id === LANGUAGE || change(id)),
  }));
}

function change(language: Language) {
  setLanguage(language).catch((error: unknown) => toastFailed(errorTextOf(error, commonText.languageFailed)));
}
