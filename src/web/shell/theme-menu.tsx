import { Monitor, Moon, Sun } from "lucide-react";
import { IconButton } from "../components/icon-button.tsx";
import { Menu } from "../components/menu.tsx";
import { shellText as t } from "../messages/shell.ts";
import { setTheme, type Theme, useTheme } from "../theme.ts";

const ICONS = { light: Sun, dark: Moon, system: Monitor };
const THEMES: Theme[] = ["light", "dark", "system"];

/** Light, dark, or as the system has it; remembered in this browser. */
export function ThemeMenu() {
  const theme = useTheme();
  return (
    <Menu
      label={t.theme}
      trigger={<IconButton plain label={t.theme} icon={theme === "system" ? Moon : ICONS[theme]} />}
      entries={THEMES.map((each) => ({
        label: t.themes[each],
        icon: ICONS[each],
        chosen: each === theme,
        onSelect: () => setTheme(each),
      }))}
    />
  );
}
