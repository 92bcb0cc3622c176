import { getRouteApi, Link } from "@tanstack/react-router";
import { Bell, ChartColumn, KeyRound, Smartphone, UserCog } from "lucide-react";
import { useEffect, useRef } from "react";
import { useMe } from "../../api/me.ts";
import { Icon, type LucideIcon } from "../../components/icon.tsx";
import { Page } from "../../components/page.tsx";
import { formatDate } from "../../format.ts";
import { settingsText as t } from "../../messages/settings.ts";
import { TABS, type Tab } from "./address.ts";
import { ConnectionTab } from "./connection-tab.tsx";
import { GeneralTab } from "./general-tab.tsx";
import { KeysTab } from "./keys-tab.tsx";
import { NotificationsTab } from "./notifications-tab.tsx";
import { UsageTab } from "./usage-tab.tsx";
import "./settings.css";

const route = getRouteApi("/shell/settings");

const ICONS: Record<Tab, LucideIcon> = {
  geral: UserCog,
  chaves: KeyRound,
  conexao: Smartphone,
  notificacoes: Bell,
  uso: ChartColumn,
};

const CONTENTS: Record<Tab, () => React.ReactNode> = {
  geral: GeneralTab,
  chaves: KeysTab,
  conexao: ConnectionTab,
  notificacoes: NotificationsTab,
  uso: UsageTab,
};

export function SettingsPage() {
  const { aba = "geral" } = route.useSearch();
  const me = useMe();
  const Content = CONTENTS[aba];
  return (
    <Page title={t.title} fact={t.since(formatDate(me.createdAt, me.timeZone))}>
      <div className="settings">
        <Tabs shown={aba} />
        <div className="settings-content">
          <Content />
        </div>
      </div>
    </Page>
  );
}

/** Links, so that each part has an address and a way back. On a telephone they scroll sideways within themselves. */
function Tabs({ shown }: { shown: Tab }) {
  const row = useRef<HTMLElement>(null);
  useEffect(() => {
    row.current?.querySelector(`[data-tab=${shown}]`)?.scrollIntoView({ block: "nearest", inline: "center" });
  }, [shown]);
  return (
    <nav ref={row} className="settings-tabs" aria-label={t.sections}>
      {TABS.map((tab) => (
        <Link
          key={tab}
          to="/settings"
          search={{ aba: tab }}
          resetScroll={false}
          data-tab={tab}
          aria-current={tab === shown ? "page" : undefined}
        >
          <Icon of={ICONS[tab]} />
          {t.tabs[tab]}
        </Link>
      ))}
    </nav>
  );
}
