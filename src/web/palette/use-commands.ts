import { type LinkProps, useRouter } from "@tanstack/react-router";
import {
  Bot,
  FileText,
  Languages,
  LayoutDashboard,
  LogOut,
  type LucideIcon,
  Megaphone,
  MessageCircle,
  MessageSquareText,
  Monitor,
  Moon,
  Plus,
  QrCode,
  Server,
  Settings,
  Smartphone,
  Sun,
  Upload,
  Users,
} from "lucide-react";
import { useMemo } from "react";
import { errorTextOf } from "../api/api-error.ts";
import { LANGUAGES, setLanguage } from "../api/language.ts";
import { setTheme, type Theme, useTheme } from "../lib/theme.ts";
import { commonText } from "../messages/common.ts";
import { LANGUAGE } from "../messages/locale.ts";
import { paletteText as t } from "../messages/palette.ts";
import { settingsText } from "../messages/settings.ts";
import { shellText } from "../messages/shell.ts";
import { TABS } from "../routes/settings.ts";
import { useLogout } from "../session/sign-out.tsx";
import { toastFailed } from "../ui/toast.tsx";
import type { Group, PaletteOption } from "./palette-options.ts";

type Place = Pick<LinkProps, "to" | "params" | "search" | "state">;

export type Go = (place: Place) => void;

export function useGo(): Go {
  const router = useRouter();
  return useMemo(
    () => (place) => void router.navigate(place as Parameters<typeof router.navigate>[0]),
    [router],
  );
}

const THEMES = { light: Sun, dark: Moon, system: Monitor } satisfies Record<Theme, LucideIcon>;

export function useCommands(): PaletteOption[] {
  const go = useGo();
  const theme = useTheme();
  const logout = useLogout();
  return useMemo(
    () => [...actions(go), ...appearance(theme), leaving(logout), ...screens(go)],
    [go, theme, logout],
  );
}

type Line = [label: string, icon: LucideIcon, place: Place, also?: string];

const goingTo =
  (go: Go, group: Group) =>
  ([label, icon, place, also = ""]: Line): PaletteOption => ({
    id: `${group}/${label}`,
    group,
    label,
    icon,
    also,
    run: () => go(place),
  });

function actions(go: Go): PaletteOption[] {
  const { also } = t;
  const lines: Line[] = [
    [t.newCampaign, Plus, { to: "/campaigns/new" }, also.newCampaign],
    [t.importContacts, Upload, { to: "/contacts", search: { abrir: "importar" } }, also.importContacts],
    [t.connectNumber, QrCode, { to: "/baileys" }, also.connectNumber],
    [t.newAgent, Bot, { to: "/criar-robo" }, also.newAgent],
  ];
  return lines.map(goingTo(go, "actions"));
}

function screens(go: Go): PaletteOption[] {
  const { also } = t;
  const lines: Line[] = [
    [shellText.dashboard, LayoutDashboard, { to: "/" }, also.dashboard],
    [shellText.contacts, Users, { to: "/contacts" }, also.contacts],
    [shellText.connections, Smartphone, { to: "/whatsapp/connections" }, also.connections],
    [shellText.connect, QrCode, { to: "/baileys" }, also.connect],
    [shellText.campaigns, Megaphone, { to: "/campaigns" }, also.campaigns],
    [shellText.chat, MessageCircle, { to: "/chat" }],
    [shellText.library, MessageSquareText, { to: "/mensagens" }, also.library],
    [shellText.instances, Server, { to: "/instances" }, also.instances],
    [shellText.agents, Bot, { to: "/chatbot" }, also.agents],
    [shellText.settings, Settings, { to: "/settings" }, also.settings],
    ...TABS.slice(1).map(
      (aba): Line => [
        t.settings(settingsText.tabs[aba]),
        Settings,
        { to: "/settings", search: { aba } },
        aba === "chaves" ? also.keys : "",
      ],
    ),
    [t.terms, FileText, { to: "/termos" }],
  ];
  return lines.map(goingTo(go, "screens"));
}

function appearance(theme: Theme): PaletteOption[] {
  const themes = (["light", "dark", "system"] as const).map(
    (each): PaletteOption => ({
      id: `theme/${each}`,
      group: "actions",
      icon: THEMES[each],
      also: t.also.theme,
      label: t.theme(shellText.themes[each]),
      chosen: each === theme,
      run: () => setTheme(each),
    }),
  );
  const languages = LANGUAGES.filter(({ id }) => id !== LANGUAGE).map(
    ({ id, name }): PaletteOption => ({
      id: `language/${id}`,
      group: "actions",
      icon: Languages,
      also: "language idioma",
      label: t.language(name),
      run: () =>
        void setLanguage(id).catch((error: unknown) =>
          toastFailed(errorTextOf(error, commonText.languageFailed)),
        ),
    }),
  );
  return [...themes, ...languages];
}

const leaving = (logout: () => void): PaletteOption => ({
  id: "logout",
  group: "actions",
  icon: LogOut,
  label: t.logout,
  also: t.also.logout,
  run: logout,
});
