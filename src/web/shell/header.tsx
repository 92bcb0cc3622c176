import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { clsx } from "clsx";
import { Search } from "lucide-react";
import { usePollingWhenDown } from "../api/events.ts";
import { useMe } from "../api/me.ts";
import { summaryQuery } from "../api/summary-query.ts";
import { commonText } from "../messages/common.ts";
import { formatAt } from "../messages/format.ts";
import { shellText as t } from "../messages/shell.ts";
import brandStyles from "../ui/brand.module.css";
import { Mark } from "../ui/brand.tsx";
import { IconButton } from "../ui/icon-button.tsx";
import layoutStyles from "../ui/layout.module.css";
import textStyles from "../ui/text.module.css";
import { AccountMenu } from "./account-menu.tsx";
import { Drawer } from "./drawer.tsx";
import styles from "./shell.module.css";

export function Header({ onSearch }: { onSearch: () => void }) {
  const me = useMe();
  return (
    <header className={clsx(layoutStyles.row3, styles.topbar)} data-ui="topbar">
      <Drawer />
      <Link to="/" className={brandStyles.brand} data-ui="brand">
        <Mark />
        {commonText.product}
      </Link>
      <Running zone={me.timeZone} />
      <div className={layoutStyles.push} />
      <IconButton plain label={t.search} icon={Search} className={styles.menuOpen} onClick={onSearch} />
      <AccountMenu />
    </header>
  );
}

function Running({ zone }: { zone: string }) {
  const summary = useQuery({ ...summaryQuery, refetchInterval: usePollingWhenDown(30_000) }).data;
  const count = summary?.byStatus.sending ?? 0;
  if (!summary || count === 0) return null;
  const end = summary.endsAt ? formatAt(summary.endsAt, zone) : null;
  return (
    <Link to="/campaigns" className={clsx(textStyles.aside, styles.running)}>
      <span className={textStyles.clip} data-ui="num clip">
        {end && count > 1 ? t.runningMany(count, end) : t.running(count, end)}
      </span>
    </Link>
  );
}
