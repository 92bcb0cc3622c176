import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { Search } from "lucide-react";
import { usePollingWhenDown } from "../api/events.ts";
import { useMe } from "../api/me.ts";
import { summaryQuery } from "../api/summary-query.ts";
import { commonText } from "../messages/common.ts";
import { formatAt } from "../messages/format.ts";
import { shellText as t } from "../messages/shell.ts";
import { Mark } from "../ui/brand.tsx";
import { IconButton } from "../ui/icon-button.tsx";
import { AccountMenu } from "./account-menu.tsx";
import { Drawer } from "./drawer.tsx";

export function Header({ onSearch }: { onSearch: () => void }) {
  const me = useMe();
  return (
    <header className="topbar">
      <Drawer />
      <Link to="/" className="brand">
        <Mark />
        {commonText.product}
      </Link>
      <Running zone={me.timeZone} />
      <div className="ml-auto" />
      <IconButton plain label={t.search} icon={Search} className="menu-open" onClick={onSearch} />
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
    <Link to="/campaigns" className="running">
      <span className="num clip">{end && count > 1 ? t.runningMany(count, end) : t.running(count, end)}</span>
    </Link>
  );
}
