import { useQueryClient } from "@tanstack/react-query";
import type { Delivery } from "../../../../contract/campaigns.ts";
import { formatPhone } from "../../../../domain/phone-written.ts";
import { errorTextOf } from "../../../api/api-error.ts";
import { api } from "../../../api/call.ts";
import { detailsText as t } from "../../../messages/details.ts";
import textLinkStyles from "../../../ui/text-link.module.css";
import { toastDone, toastFailed } from "../../../ui/toast.tsx";

/** Proven unsent, so it asks nothing: no message can arrive twice. */
export function SendRest({ campaignId, delivery }: { campaignId: number; delivery: Delivery }) {
  const queries = useQueryClient();
  const who = delivery.name || formatPhone(delivery.phone);
  const send = async () => {
    const params = { id: campaignId, seq: delivery.seq };
    const query = { at: delivery.at ?? undefined };
    try {
      await api("POST /api/campaigns/{id}/deliveries/{seq}/resend", { params, query });
      toastDone(t.sendRestDone(who));
    } catch (error) {
      toastFailed(errorTextOf(error, t.resendFailed));
    }
    await Promise.all([
      queries.invalidateQueries({ queryKey: ["campaigns"] }),
      queries.invalidateQueries({ queryKey: ["deliveries", campaignId] }),
    ]);
  };
  return (
    <button
      type="button"
      className={textLinkStyles.link}
      data-ui="link"
      aria-label={t.sendRestTo(who)}
      onClick={() => void send()}
    >
      {t.sendRest}
    </button>
  );
}
