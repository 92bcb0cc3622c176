import { Languages, Monitor, Moon, Sun } from "lucide-react";
import type { Language } from "../../contract/accounts.ts";
import { faultText } from "../api/api-error.ts";
import { IconButton } from "../components/icon-button.tsx";
import { Menu } from "../components/menu.tsx";
import { toastFailed } from "../components/toast.tsx";
import { LANGUAGES, setLanguage } from "../language.ts";
import { commonText } from "../messages/common.ts";
import { LANGUAGE } from "../messages/locale.ts";
import { shellText as t } from "../messages/shell.ts";
import { setTheme, type Theme, useTheme } from "../theme.ts";

const ICONS = { light: Sun, dark: Moon, system: Monitor };
const THEMES: Theme[] = ["light", "dark", "system"];

/** Light, dark, or as the system has it, remembered in this browser; and the language, remembered in the account. */
export function ThemeMenu() {
  const theme = useTheme();
  return (
    <Menu
      label={t.theme}
      trigger={<IconButton plain label={t.theme} icon={theme === "system" ? Moon : ICONS[theme]} />}
      entries={[
        ...THEMES.map((each) => ({
          label: t.themes[each],
          icon: ICONS[each],
          chosen: each === theme,
          onSelect: () => setTheme(each),
        })),
        ...LANGUAGES.map(({ id, name }, at) => ({
          label: name,
          lang: id,
          icon: Languages,
          apart: at === 0,
          chosen: id === LANGUAGE,
          onSelect: () => void (id === LANGUAGE || change(id)),
        })),
      ]}
    />
  );
}

function change(language: Language) {
  setLanguage(language).catch((error: unknown) => toastFailed(faultText(error, commonText.languageFailed)));
}
