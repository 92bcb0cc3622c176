import { clsx } from "clsx";
import { X } from "lucide-react";
import type { CampaignPage } from "../../../contract/campaigns.ts";
import { fullDay } from "../../lib/calendar-day.ts";
import { campaignsText as t } from "../../messages/campaigns.ts";
import { formatNumber, formatShare } from "../../messages/format.ts";
import { OUTCOMES } from "../../routes/campaigns.ts";
import cardStyles from "../../ui/card.module.css";
import { ClearButton } from "../../ui/clear-button.tsx";
import layoutStyles from "../../ui/layout.module.css";
import textStyles from "../../ui/text.module.css";
import styles from "./found-figures.module.css";
import type { useCampaigns } from "./use-campaigns.ts";

type List = ReturnType<typeof useCampaigns>;

export function FoundFigures({ list }: { list: List }) {
  const { found, shown, summary } = list;
  const { busca, filtro, arquivadas, campanha, de, ate, resultado } = shown;
  const figures = Boolean(campanha || de || ate || resultado);
  if (!found || !(figures || busca || filtro || arquivadas)) return null;
  if (!figures)
    return (
      <p className={clsx(textStyles.fact, styles.campsFound)} role="status">
        {found.campaigns > 0 && t.found(found.campaigns)}
      </p>
    );
  return (
    <section
      className={clsx(cardStyles.card, styles.campsSums)}
      aria-label={t.foundFigures}
      aria-busy={list.query.isPlaceholderData}
    >
      <header>
        <p role="status">
          <strong>{t.found(found.campaigns)}</strong>, {story(shown)}
        </p>
        <ClearButton small look="ghost" icon={X} onClear={list.clear}>
          {t.clearFilters}
        </ClearButton>
      </header>
      <Sums found={found} chosen={resultado} />
      <p className={clsx(textStyles.fine, layoutStyles.top3)}>
        {t.foundNote}
        {!campanha && summary && summary.archived + summary.deleted > 0 && ` ${t.foundPutAway}`}
      </p>
    </section>
  );
}

function story({ busca, filtro, arquivadas, campanha, de, ate, resultado }: List["address"]): string {
  const parts = [
    campanha && t.onlyOne,
    arquivadas && t.onlyArchived,
    filtro && t.withStatus(t.status[filtro]),
    busca && t.withWords(busca),
    resultado && t.withOutcome[resultado],
    days(de, ate),
  ];
  return parts.filter(Boolean).join(", ");
}

function days(from: string | undefined, to: string | undefined): string | undefined {
  if (from && to) return from === to ? t.onDay(fullDay(from)) : t.betweenDays(fullDay(from), fullDay(to));
  if (from) return t.sinceDay(fullDay(from));
  return to && t.untilDay(fullDay(to));
}

type SumsProps = { found: CampaignPage["found"]; chosen: List["address"]["resultado"] };

function Sums({ found, chosen }: SumsProps) {
  const names = Object.keys(OUTCOMES) as (keyof typeof OUTCOMES)[];
  return (
    <dl>
      {names.map((name) => (
        <div key={name} className={name === chosen ? styles.chosen : undefined}>
          <dt>{t.outcomes[name]}</dt>
          <dd>{formatNumber(found[OUTCOMES[name]])}</dd>
        </div>
      ))}
      <div>
        <dt>{t.rate}</dt>
        <dd>{formatShare(found.rate)}</dd>
      </div>
    </dl>
  );
}
