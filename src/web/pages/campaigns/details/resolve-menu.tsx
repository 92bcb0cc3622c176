import { useQueryClient } from "@tanstack/react-query";
import { Check, CircleSlash, Send } from "lucide-react";
import { useState } from "react";
import type { Delivery } from "../../../../contract/campaigns.ts";
import { formatPhone } from "../../../../domain/phone-written.ts";
import { ApiError, errorTextOf } from "../../../api/api-error.ts";
import { api } from "../../../api/call.ts";
import { detailsText as t } from "../../../messages/details.ts";
import { ConfirmDialog } from "../../../ui/confirm-dialog.tsx";
import { Menu } from "../../../ui/menu.tsx";
import textLinkStyles from "../../../ui/text-link.module.css";
import { toastDone, toastFailed } from "../../../ui/toast.tsx";

type Props = {
  campaignId: number;
  delivery: Delivery;
  /** False if cancelled or without its connection. */
  sends: boolean;
};

/** Another window, or a lost answer, has already decided it. */
const unlessDecided = (action: string) => (error: unknown) => {
  if (!(error instanceof ApiError && error.details.action === action)) throw error;
};

/** A resend may reach the person twice, so it asks first. */
export function ResolveMenu({ campaignId, delivery, sends }: Props) {
  const queries = useQueryClient();
  const who = delivery.name || (delivery.phone === "" ? t.erased : formatPhone(delivery.phone));
  const doubt = {
    params: { id: campaignId, seq: delivery.seq },
    query: { at: delivery.at ?? undefined },
  };
  const [asked, setAsked] = useState<typeof doubt | null>(null);

  const settle = async (call: Promise<unknown>, done: string) => {
    try {
      await call;
      toastDone(done);
    } finally {
      await Promise.all([
        queries.invalidateQueries({ queryKey: ["campaigns"] }),
        queries.invalidateQueries({ queryKey: ["deliveries", campaignId] }),
      ]);
    }
  };
  const settleNow = async (call: Promise<unknown>, done: string) => {
    try {
      await settle(call, done);
    } catch (error) {
      toastFailed(errorTextOf(error, t.markFailed));
    }
  };
  return (
    <>
      <Menu
        label={t.resolveFor(who)}
        trigger={
          <button type="button" className={textLinkStyles.link} data-ui="link" aria-label={t.resolveFor(who)}>
            {t.resolve}
          </button>
        }
        entries={[
          ...(sends ? [{ label: t.resendAnyway, icon: Send, onSelect: () => setAsked(doubt) }] : []),
          {
            label: t.markSent,
            icon: Check,
            onSelect: () =>
              void settleNow(
                api("POST /api/campaigns/{id}/deliveries/{seq}/mark-sent", doubt).catch(
                  unlessDecided("mark_sent"),
                ),
                t.markDone(who),
              ),
          },
          {
            label: t.ignore,
            icon: CircleSlash,
            onSelect: () =>
              void settleNow(
                api("POST /api/campaigns/{id}/deliveries/{seq}/ignore", doubt).catch(unlessDecided("ignore")),
                t.ignoreDone(who),
              ),
          },
        ]}
      />
      {asked && (
        <ConfirmDialog
          question={t.askResend}
          verb={t.resendAnyway}
          failure={t.resendFailed}
          onConfirm={() =>
            settle(
              api("POST /api/campaigns/{id}/deliveries/{seq}/resend", asked).catch(unlessDecided("resend")),
              t.resendDone(who),
            )
          }
          onClose={() => setAsked(null)}
        >
          {t.askResendText(who)}
        </ConfirmDialog>
      )}
    </>
  );
}
