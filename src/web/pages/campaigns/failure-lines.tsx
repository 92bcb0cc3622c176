import { clsx } from "clsx";
import { CircleAlert } from "lucide-react";
import { useState } from "react";
import type { Campaign } from "../../../contract/campaigns.ts";
import { api } from "../../api/call.ts";
import { campaignsText as t } from "../../messages/campaigns.ts";
import { formatNumber } from "../../messages/format.ts";
import { CopyButton } from "../../ui/copy-button.tsx";
import errorNoticeStyles from "../../ui/error-notice.module.css";
import { Icon } from "../../ui/icon.tsx";
import layoutStyles from "../../ui/layout.module.css";
import textStyles from "../../ui/text.module.css";
import textLinkStyles from "../../ui/text-link.module.css";
import styles from "./campaigns.module.css";

const SHOWN_LINES = 3;

/** `folded`: hidden at first, beside a table with the same content. */
export function FailureLines({ campaign, folded = false }: { campaign: Campaign; folded?: boolean }) {
  const { id, failureLines: lines, failureTotal: total } = campaign;
  const [open, setOpen] = useState(!folded);
  return (
    <div className={clsx(errorNoticeStyles.fault, errorNoticeStyles.small)} data-ui="fault">
      <Icon of={CircleAlert} />
      <div className={layoutStyles.grow}>
        <div className={clsx(layoutStyles.ends, styles.failuresHead)}>
          <h3>{titleOf(open ? lines.length : total, total)}</h3>
          {folded && (
            <button
              type="button"
              className={textLinkStyles.link}
              data-ui="link"
              aria-expanded={open}
              onClick={() => setOpen(!open)}
            >
              {t.asLines}
            </button>
          )}
          <CopyButton
            label={t.copyAll}
            text={() => (lines.length === total ? lines.join("\n") : allLines(id))}
          />
        </div>
        {open && (
          <textarea
            readOnly
            className={clsx(textStyles.aside, styles.failures)}
            rows={Math.min(SHOWN_LINES, lines.length)}
            aria-label={t.failureLines(campaign.name)}
            value={lines.join("\n")}
          />
        )}
      </div>
    </div>
  );
}

function titleOf(shown: number, total: number): string {
  if (total === 1) return t.oneFailure;
  if (shown < total) return t.firstFailures(formatNumber(shown), formatNumber(total));
  return t.failures(formatNumber(total));
}

async function allLines(id: number): Promise<string> {
  const answer = await api("GET /api/campaigns/{id}/failures", { params: { id } });
  return answer.text();
}
