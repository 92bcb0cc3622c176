import type { Campaign } from "../../../contract/campaigns.ts";
import type { CampaignAction } from "../../../domain/campaign.ts";
import { useMe } from "../../api/me.ts";
import { campaignsText as t } from "../../messages/campaigns.ts";
import { formatSentence } from "../../messages/format.ts";
import { ConfirmDialog } from "../../ui/confirm-dialog.tsx";
import type { Asked as Question, useCampaignAction } from "./use-campaign-action.ts";

type Asked = Exclude<Question, "despite">;
type Props = { campaign: Campaign; asked: Asked; actions: ReturnType<typeof useCampaignAction> };

const ACTION_OF: Record<Asked, CampaignAction> = {
  cancel: "cancel",
  delete: "delete",
  remove: "delete",
  confirm: "confirm",
  finish: "finish",
  resend: "resend_failures",
};

export function AskedDialog({ campaign, asked, actions }: Props) {
  const { timeZone } = useMe();
  const { question, text, verb, look } = words(campaign, asked, timeZone);
  return (
    <ConfirmDialog
      question={question}
      moot={!campaign.actions.includes(ACTION_OF[asked])}
      verb={verb}
      look={look}
      back={t.back}
      failure={t.failed[asked]}
      onConfirm={() => actions.perform(asked)}
      onClose={actions.close}
    >
      {text}
    </ConfirmDialog>
  );
}

function words(campaign: Campaign, asked: Asked, zone: string) {
  const { name } = campaign;
  switch (asked) {
    case "cancel":
      return {
        question: t.ask.cancel(name),
        text: cancelText(campaign, zone),
        verb: t.cancelSending,
        look: "danger" as const,
      };
    case "delete":
      return {
        question: t.ask.delete(name),
        text: t.ask.deleteText,
        verb: t.ask.deleteVerb,
        look: "danger" as const,
      };
    case "remove":
      return {
        question: t.ask.remove(name),
        text: t.ask.removeText(campaign.counts.total, campaign.counts.sent, campaign.counts.errors > 0),
        verb: t.ask.deleteVerb,
        look: "danger" as const,
      };
    case "confirm":
      return {
        question: t.ask.confirm(name),
        text: t.ask.confirmText(campaign.people),
        verb: t.ask.confirmVerb,
        look: "primary" as const,
      };
    case "finish":
      return {
        question: t.ask.finish(name),
        text: t.ask.finishText(campaign.counts.accepted),
        verb: t.ask.finishVerb,
        look: "primary" as const,
      };
    case "resend":
      return {
        question: t.ask.resend(campaign.resendable),
        text: resendText(campaign),
        verb: t.ask.resendVerb,
        look: "primary" as const,
      };
  }
}

function resendText(campaign: Campaign): string {
  const { name, connectionId, connectionName, counts, resendable, unfinished } = campaign;
  const parts = [
    t.ask.resendText(name),
    unfinished > 0 && t.ask.resendUnfinished(unfinished),
    resendable < counts.errors - unfinished && t.ask.resendFewer,
    connectionId === null && connectionName !== null && t.ask.resendOther(connectionName),
  ];
  return parts.filter(Boolean).join(" ");
}

function cancelText(campaign: Campaign, zone: string): string {
  const { counts, started, scheduledAt, people, schedule } = campaign;
  const { sending, waiting } = counts.states;
  if (started) return t.ask.cancelStarted(counts.remaining, counts.sent, sending + waiting > 0);
  if (!scheduledAt || campaign.cause === "missed") return t.ask.cancelNothing;
  const when = formatSentence(scheduledAt, schedule.kind === "at" ? schedule.zone : zone);
  return t.ask.cancelScheduled(people, when);
}
