import { Link } from "@tanstack/react-router";
import type { ReactNode } from "react";
import type { ShownDelivery } from "../../../domain/campaign.ts";
import { campaignsText as t } from "../../messages/campaigns.ts";
import { LinkButton } from "../../ui/link-button.tsx";

/** A link, so that open details have an address. */
export function DetailsLink({ id }: { id: number }) {
  return (
    <LinkButton
      small
      to="/campaigns"
      search={(before) => ({ ...before, detalhes: id })}
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
      className="badge badge-link"
      data-tone="warning"
      to="/campaigns"
      search={(before) => ({ ...before, detalhes: id, status })}
      replace
      resetScroll={false}
    >
      {children}
    </Link>
  );
}
