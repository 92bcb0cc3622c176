import { useQuery } from "@tanstack/react-query";
import { Link, useLocation } from "@tanstack/react-router";
import { clsx } from "clsx";
import { LogOut, Search } from "lucide-react";
import { useId } from "react";
import { summaryQuery } from "../api/summary-query.ts";
import { useUnread } from "../api/unread.ts";
import { commonText } from "../messages/common.ts";
import { formatNumber } from "../messages/format.ts";
import { shellText as t } from "../messages/shell.ts";
import { useLogout } from "../session/sign-out.tsx";
import brandStyles from "../ui/brand.module.css";
import { Mark } from "../ui/brand.tsx";
import { Icon } from "../ui/icon.tsx";
import keyHintStyles from "../ui/key-hint.module.css";
import layoutStyles from "../ui/layout.module.css";
import navItemStyles from "../ui/nav-item.module.css";
import textStyles from "../ui/text.module.css";
import { MORE, PLACES } from "./places.ts";
import styles from "./shell.module.css";
import { PALETTE_KEYS } from "./use-palette.tsx";

type Props = {
  onLeave?: () => void;
  onSearch?: () => void;
};

export function Sidebar({ onLeave, onSearch }: Props) {
  const total = useQuery(summaryQuery).data?.total;
  const logout = useLogout();
  const more = useId();
  // The connect screen has two addresses.
  const connecting = useLocation({ select: ({ pathname }) => pathname === "/whatsapp/connect" });
  const makingAgent = useLocation({ select: ({ pathname }) => pathname === "/criar-robo" });
  return (
    <aside className={clsx(layoutStyles.column, styles.sidebar)} data-ui="sidebar" aria-label={t.menu}>
      <Link to="/" className={brandStyles.brand} data-ui="brand" onClick={() => onLeave?.()}>
        <Mark />
        {commonText.product}
      </Link>
      {onSearch && (
        <button
          type="button"
          className={styles.quick}
          aria-keyshortcuts="Control+K Meta+K"
          onClick={onSearch}
        >
          <Icon of={Search} sm />
          {t.search}
          <span className={keyHintStyles.keys} data-ui="keys" aria-hidden="true">
            {PALETTE_KEYS}
          </span>
        </button>
      )}
      <nav className={styles.nav} data-ui="nav" aria-label={t.main}>
        {PLACES.map((link) => (
          <Link
            key={link.to}
            className={navItemStyles.item}
            to={link.to}
            activeOptions={{ exact: link.exact }}
            activeProps={{ "aria-current": "page" }}
            {...(connecting && link.to === "/baileys" ? { "aria-current": "page" as const } : {})}
            onClick={() => onLeave?.()}
          >
            <Icon of={link.icon} />
            {link.label}
            {link.to === "/campaigns" && total ? (
              <span className={clsx(textStyles.fine, styles.count)}>{formatNumber(total)}</span>
            ) : null}
          </Link>
        ))}
      </nav>
      <nav className={styles.nav} data-ui="nav" aria-labelledby={more}>
        <p className={clsx(textStyles.kicker, styles.navHead)} data-ui="nav-head" id={more}>
          {t.more}
        </p>
        {MORE.map((link) => (
          <Link
            key={link.to}
            className={navItemStyles.item}
            to={link.to}
            activeOptions={{ includeSearch: false }}
            activeProps={{ "aria-current": "page" }}
            {...(makingAgent && link.to === "/chatbot" ? { "aria-current": "page" as const } : {})}
            onClick={() => onLeave?.()}
          >
            <Icon of={link.icon} />
            {link.label}
            {link.to === "/chat" && <Unread />}
          </Link>
        ))}
      </nav>
      <div className={clsx(styles.nav, styles.end)} data-ui="nav">
        <button type="button" className={navItemStyles.item} onClick={logout}>
          <Icon of={LogOut} />
          {t.logout}
        </button>
      </div>
    </aside>
  );
}

function Unread() {
  const unread = useUnread().data?.unread ?? 0;
  if (unread === 0) return null;
  return (
    <span className={clsx(textStyles.fine, styles.count, styles.fresh)}>
      <span aria-hidden="true">{formatNumber(unread)}</span>
      <span className={layoutStyles.srOnly}>{t.unread(unread)}</span>
    </span>
  );
}
