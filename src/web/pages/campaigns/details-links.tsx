import { Link } from "@tanstack/react-router";
import { clsx } from "clsx";
import type { ReactNode } from "react";
import type { BreakerFailure } from "../../../domain/breaker.ts";
import type { ShownDelivery } from "../../../domain/campaign.ts";
import { causesText } from "../../messages/campaign-causes.ts";
import { campaignsText as t } from "../../messages/campaigns.ts";
import badgeStyles from "../../ui/badge.module.css";
import { LinkButton } from "../../ui/link-button.tsx";
import textLinkStyles from "../../ui/text-link.module.css";
import { keepCopy } from "../../ui/use-close-on-back.ts";
import styles from "./campaigns.module.css";

/** A link, so that open details have an address. */
export function DetailsLink({ id }: { id: number }) {
  return (
    <LinkButton
      small
      to="/campaigns"
      search={(before) => ({ ...before, detalhes: id })}
      state={keepCopy}
      replace
      resetScroll={false}
    >
      {t.details}
    </LinkButton>
  );
}

export function DetailsBadgeLink({
  id,
  status,
  children,
}: {
  id: number;
  status: ShownDelivery;
  children: ReactNode;
}) {
  return (
    <Link
      className={clsx(badgeStyles.badge, styles.badgeLink)}
      data-ui="badge"
      data-tone="warning"
      to="/campaigns"
      search={(before) => ({ ...before, detalhes: id, status })}
      state={keepCopy}
      replace
      resetScroll={false}
    >
      {children}
    </Link>
  );
}

export function FailedPeopleLink({ id, failure }: { id: number; failure: BreakerFailure }) {
  return (
    <Link
      className={textLinkStyles.link}
      to="/campaigns"
      search={(before) => ({ ...before, detalhes: id, status: undefined, falha: failure })}
      state={keepCopy}
      replace
      resetScroll={false}
    >
      {causesText.seePeople}
    </Link>
  );
}
