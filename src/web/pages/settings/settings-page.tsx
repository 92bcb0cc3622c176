import { getRouteApi, Link } from "@tanstack/react-router";
import { clsx } from "clsx";
import { Bell, ChartColumn, History, KeyRound, Smartphone, UserCog } from "lucide-react";
import { type ComponentType, lazy, Suspense, useEffect, useRef } from "react";
import { useMe } from "../../api/me.ts";
import { formatDate } from "../../messages/format.ts";
import { settingsText as t } from "../../messages/settings.ts";
import { TABS, type Tab } from "../../routes/settings.ts";
import cardStyles from "../../ui/card.module.css";
import { Icon, type LucideIcon } from "../../ui/icon.tsx";
import layoutStyles from "../../ui/layout.module.css";
import navItemStyles from "../../ui/nav-item.module.css";
import { Page } from "../../ui/page.tsx";
import { Bone, Skeleton } from "../../ui/skeleton.tsx";
import styles from "./settings.module.css";

const route = getRouteApi("/shell/settings");

const ICONS: Record<Tab, LucideIcon> = {
  geral: UserCog,
  chaves: KeyRound,
  conexao: Smartphone,
  notificacoes: Bell,
  uso: ChartColumn,
  atividade: History,
};

const CONTENTS: Record<Tab, ComponentType> = {
  geral: lazy(async () => ({ default: (await import("./general-tab.tsx")).GeneralTab })),
  chaves: lazy(async () => ({ default: (await import("./keys-tab.tsx")).KeysTab })),
  conexao: lazy(async () => ({ default: (await import("./connection-tab.tsx")).ConnectionTab })),
  notificacoes: lazy(async () => ({ default: (await import("./notifications-tab.tsx")).NotificationsTab })),
  uso: lazy(async () => ({ default: (await import("./usage-tab.tsx")).UsageTab })),
  atividade: lazy(async () => ({ default: (await import("./activity-tab.tsx")).ActivityTab })),
};

export function SettingsPage() {
  const { aba = "geral" } = route.useSearch();
  const me = useMe();
  const Content = CONTENTS[aba];
  return (
    <Page title={t.title} fact={t.since(formatDate(me.createdAt, me.timeZone))}>
      <div className={styles.settings}>
        <Tabs shown={aba} />
        <div className={layoutStyles.stack4}>
          <Suspense fallback={<Waiting />}>
            <Content />
          </Suspense>
        </div>
      </div>
    </Page>
  );
}

/** Links, so that each tab has an address; they scroll sideways on phones. */
function Tabs({ shown }: { shown: Tab }) {
  const row = useRef<HTMLElement>(null);
  useEffect(() => {
    const tabs = row.current;
    const tab = tabs?.querySelector(`[data-tab=${shown}]`);
    if (!tabs || !tab) return;
    // With `scrollIntoView` Chromium would start the next Tab past the menu.
    const [around, inside] = [tabs.getBoundingClientRect(), tab.getBoundingClientRect()];
    tabs.scrollLeft += inside.left + inside.width / 2 - (around.left + around.width / 2);
  }, [shown]);
  return (
    <nav ref={row} className={styles.settingsTabs} aria-label={t.sections}>
      {TABS.map((tab) => (
        <Link
          key={tab}
          className={navItemStyles.item}
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

function Waiting() {
  return (
    <Skeleton className={clsx(cardStyles.card, cardStyles.section)}>
      <Bone width="30%" />
      <Bone width="60%" />
    </Skeleton>
  );
}
