import { clsx } from "clsx";
import {
  Archive,
  ArchiveRestore,
  Ban,
  CircleCheck,
  CircleQuestionMark,
  type LucideIcon,
  Pause,
  PencilLine,
  Play,
  RefreshCcwDot,
  RotateCcw,
  SmartphoneNfc,
  Trash2,
  Undo2,
} from "lucide-react";
import type { Campaign } from "../../../contract/campaigns.ts";
import { asksReason, NUMBER_CAUSES } from "../../../domain/breaker.ts";
import { campaignsText as t } from "../../messages/campaigns.ts";
import { formatNumber } from "../../messages/format.ts";
import { Button } from "../../ui/button.tsx";
import cardStyles from "../../ui/card.module.css";
import { Icon } from "../../ui/icon.tsx";
import layoutStyles from "../../ui/layout.module.css";
import { LinkButton } from "../../ui/link-button.tsx";
import { Menu, type MenuEntry } from "../../ui/menu.tsx";
import { AskedDialog } from "./asked-dialog.tsx";
import styles from "./campaigns.module.css";
import { goneFacts } from "./cause-notice.tsx";
import { DetailsBadgeLink, DetailsLink } from "./details-links.tsx";
import { ReasonDialog } from "./reason-dialog.tsx";
import { useCampaignAction } from "./use-campaign-action.ts";

const OF_CONNECTIONS: readonly (string | null)[] = [
  "banned",
  "timelocked",
  "no_default_connection",
  "unconfirmed",
  ...NUMBER_CAUSES,
];

type Actions = ReturnType<typeof useCampaignAction>;

export function CampaignActions({ campaign }: { campaign: Campaign }) {
  const actions = useCampaignAction(campaign);
  const rest = menuOf(campaign, actions);
  return (
    <div className={clsx(cardStyles.tileFoot, styles.campFoot)}>
      <Shown campaign={campaign} actions={actions} />
      <span className={clsx(layoutStyles.row, styles.end)}>
        {campaign.counts.uncertain > 0 && (
          <DetailsBadgeLink id={campaign.id} status="uncertain">
            <Icon of={CircleQuestionMark} />
            {t.uncertain(formatNumber(campaign.counts.uncertain))}
          </DetailsBadgeLink>
        )}
        {rest.length > 0 && <Menu label={t.moreActions(campaign.name)} entries={rest} />}
      </span>
      {actions.asked === "despite" && <ReasonDialog campaign={campaign} actions={actions} />}
      {actions.asked && actions.asked !== "despite" && (
        <AskedDialog campaign={campaign} asked={actions.asked} actions={actions} />
      )}
    </div>
  );
}

function Shown({ campaign, actions }: { campaign: Campaign; actions: Actions }) {
  const { id, status, cause, resendable } = campaign;
  const can = (action: Campaign["actions"][number]) => campaign.actions.includes(action);
  // Without list or connection it reaches no one; the notice says so.
  const lost = goneFacts(campaign).length > 0;
  const turn = can("pause") && cause !== "connection" ? "pause" : can("resume") && !lost ? "resume" : null;
  if (status === "draft")
    return (
      <>
        <LinkButton small to="/campaigns/new" search={{ rascunho: id }}>
          {t.continueDraft}
        </LinkButton>
        <ReuseLink id={id} />
      </>
    );
  return (
    <>
      <DetailsLink id={id} />
      {can("edit") && (
        <LinkButton small look="ghost" icon={PencilLine} to="/campaigns/new" search={{ rascunho: id }}>
          {t.edit}
        </LinkButton>
      )}
      {can("undo") && (
        <ActionButton icon={Undo2} label={t.undo} onPress={() => actions.run("undo")} actions={actions} />
      )}
      {can("confirm") && !lost && (
        <ActionButton
          icon={Play}
          label={t.confirm}
          onPress={() => actions.ask("confirm")}
          actions={actions}
        />
      )}
      {can("finish") && (
        <ActionButton
          icon={CircleCheck}
          label={t.finish}
          onPress={() => actions.ask("finish")}
          actions={actions}
        />
      )}
      {cause === "connection" && (
        <LinkButton small look="ghost" icon={SmartphoneNfc} to="/whatsapp/connections">
          {t.seeConnection}
        </LinkButton>
      )}
      {turn && (
        <ActionButton
          icon={turn === "pause" ? Pause : Play}
          label={t[turn]}
          onPress={() =>
            turn === "resume" && asksReason(cause) ? actions.ask("despite") : actions.run(turn)
          }
          actions={actions}
        />
      )}
      {can("reuse") && <ReuseLink id={id} />}
      {can("resend_failures") && (
        <ActionButton
          icon={RefreshCcwDot}
          label={t.resendFailures(formatNumber(resendable))}
          onPress={() => actions.ask("resend")}
          actions={actions}
        />
      )}
    </>
  );
}

type ActionButtonProps = { icon: LucideIcon; label: string; onPress: () => void; actions: Actions };

function ActionButton({ icon, label, onPress, actions }: ActionButtonProps) {
  return (
    <Button small look="ghost" icon={icon} busy={actions.busy} onClick={onPress}>
      {label}
    </Button>
  );
}

function ReuseLink({ id }: { id: number }) {
  return (
    <LinkButton small look="ghost" icon={RotateCcw} to="/campaigns/new" search={{ reutilizar: id }}>
      {t.reuse}
    </LinkButton>
  );
}

function menuOf(campaign: Campaign, actions: Actions): MenuEntry[] {
  const entries: MenuEntry[] = [];
  const can = (action: Campaign["actions"][number]) => campaign.actions.includes(action);
  if (campaign.cause === "connection" && can("pause"))
    entries.push({ label: t.pause, icon: Pause, onSelect: () => void actions.run("pause") });
  if (campaign.status === "paused" && OF_CONNECTIONS.includes(campaign.cause))
    entries.push({ label: t.seeConnection, icon: SmartphoneNfc, onSelect: actions.seeConnections });
  if (can("cancel"))
    entries.push({
      label: t.cancelSending,
      icon: Ban,
      danger: true,
      onSelect: () => actions.ask("cancel"),
    });
  if (can("archive"))
    entries.push({ label: t.archive, icon: Archive, onSelect: () => void actions.run("archive") });
  if (can("unarchive"))
    entries.push({ label: t.unarchive, icon: ArchiveRestore, onSelect: () => void actions.run("unarchive") });
  if (can("delete")) {
    const draft = campaign.status === "draft";
    entries.push({
      label: draft ? t.deleteDraft : t.deleteCampaign,
      icon: Trash2,
      danger: true,
      onSelect: () => actions.ask(draft ? "delete" : "remove"),
    });
  }
  return entries;
}
