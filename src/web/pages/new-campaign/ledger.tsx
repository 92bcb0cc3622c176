import { clsx } from "clsx";
import {
  Ban,
  Braces,
  CalendarClock,
  CopyMinus,
  ListFilter,
  Lock,
  Megaphone,
  MessageCircle,
  MessageCircleOff,
  Phone,
  PhoneOff,
  Users,
  X,
} from "lucide-react";
import { type ReactNode, useId, useState } from "react";
import { TALKED_HOURS_MOST, UNANSWERED_MOST } from "../../../domain/audience.ts";
import type { Known } from "../../library/use-known.ts";
import { audienceText as t } from "../../messages/audience.ts";
import { formatNumber } from "../../messages/format.ts";
import { QueryError } from "../../ui/error-notice.tsx";
import { Icon, type LucideIcon } from "../../ui/icon.tsx";
import { IconButton } from "../../ui/icon-button.tsx";
import layoutStyles from "../../ui/layout.module.css";
import { Bone } from "../../ui/skeleton.tsx";
import textLinkStyles from "../../ui/text-link.module.css";
import { useFocusOnUnmount } from "../../ui/use-focus-on-unmount.ts";
import { changeWithout, removeSource, removeWithout } from "./audience-edit.ts";
import {
  type Line,
  type LineKind,
  lineWords,
  mostTaking,
  sourceLines,
  twiceLine,
  withoutLines,
} from "./audience-lines.ts";
import { Counting } from "./counting.tsx";
import { InlineNumber } from "./inline-number.tsx";
import styles from "./ledger.module.css";
import type { CountedAudience } from "./use-audience-count.ts";
import type { CampaignFormState } from "./use-campaign-form.ts";

type Props = {
  form: CampaignFormState;
  audience: CountedAudience;
  used: readonly Known[];
  fixed: boolean;
  onSee: (line: Line) => void;
};

const ICONS: Record<LineKind, LucideIcon> = {
  list: Users,
  segment: ListFilter,
  campaign: Megaphone,
  talked: MessageCircle,
  unanswered: MessageCircleOff,
  weekly: CalendarClock,
  absent: PhoneOff,
  land_lines: Phone,
  missing: Braces,
  opted_out: Ban,
};

export function Ledger({ form, audience, used, fixed, onSee }: Props) {
  const heading = useId();
  const { values } = form;
  const sources = sourceLines(values, audience);
  const without = withoutLines(values, audience, used);
  const twice = audience.count?.twice ?? 0;
  const invalid = form.error("audience") !== null;
  return (
    <section className={clsx(layoutStyles.frame, styles.ledger)} aria-label={t.ledger}>
      <div className={styles.head}>
        <h3 id={`${heading}-to`}>{t.to}</h3>
        <span aria-hidden="true">{t.people}</span>
      </div>
      <ul aria-labelledby={`${heading}-to`}>
        {sources.map((line) => (
          <LedgerLine
            key={line.key}
            line={line}
            invalid={invalid}
            onSee={onSee}
            onRemove={fixed ? null : () => removeSourceLine(form, line)}
          />
        ))}
        {twice > 0 && <LedgerLine line={twiceLine(twice)} icon={CopyMinus} minus onSee={onSee} />}
      </ul>
      <div className={styles.head}>
        <h3 id={`${heading}-without`}>{t.without}</h3>
      </div>
      <ul aria-labelledby={`${heading}-without`}>
        {without.map((line) => (
          <LedgerLine
            key={line.key}
            line={line}
            minus
            invalid={invalid}
            onSee={onSee}
            onRemove={removalOf(form, line)}
          >
            <Amount form={form} line={line} />
          </LedgerLine>
        ))}
      </ul>
      <Total audience={audience} lines={without} />
    </section>
  );
}

function removeSourceLine(form: CampaignFormState, { kind, id }: Line): void {
  if (kind !== "list" && kind !== "segment") return;
  const { list, audience } = removeSource(form.values, kind, id);
  form.set("list", list);
  form.set("audience", audience);
}

function removalOf(form: CampaignFormState, { kind, id }: Line): (() => void) | null {
  const { audience } = form.values;
  if (kind === "list" || kind === "campaign")
    return () => form.set("audience", removeWithout(audience, kind, id));
  if (kind === "talked") return () => form.set("audience", changeWithout(audience, { talkedHours: null }));
  if (kind === "unanswered") return () => form.set("audience", changeWithout(audience, { unanswered: null }));
  if (kind === "land_lines") return () => form.set("audience", changeWithout(audience, { landLines: false }));
  return null;
}

function Amount({ form, line }: { form: CampaignFormState; line: Line }) {
  const { audience } = form.values;
  const { talkedHours, unanswered } = audience.without;
  if (line.kind === "talked" && talkedHours !== null)
    return (
      <InlineNumber
        label={t.talkedHours}
        before={t.talkedBefore}
        after={t.talkedAfter(talkedHours)}
        value={talkedHours}
        most={TALKED_HOURS_MOST}
        onChange={(hours) => form.set("audience", changeWithout(audience, { talkedHours: hours }))}
      />
    );
  if (line.kind === "unanswered" && unanswered !== null)
    return (
      <InlineNumber
        label={t.unansweredCampaigns}
        before={t.unansweredBefore}
        after={t.unansweredAfter(unanswered)}
        value={unanswered}
        most={UNANSWERED_MOST}
        onChange={(campaigns) => form.set("audience", changeWithout(audience, { unanswered: campaigns }))}
      />
    );
  return <Words line={line} />;
}

const Words = ({ line }: { line: Line }) => (
  <span className={styles.text}>
    {line.lead} {line.name && <b>{line.name}</b>}
    {line.broken && <span className={styles.why}>{t.broken}</span>}
  </span>
);

type LineProps = {
  line: Line;
  icon?: LucideIcon;
  minus?: boolean;
  invalid?: boolean;
  onSee: (line: Line) => void;
  onRemove?: (() => void) | null;
  children?: ReactNode;
};

function LedgerLine({ line, icon, minus = false, invalid = false, onSee, onRemove, children }: LineProps) {
  const place = useFocusOnUnmount<HTMLLIElement>();
  const words = lineWords(line);
  const gone = line.name === null || line.broken === true;
  return (
    <li ref={place} className={clsx(gone && styles.gone)} data-minus={minus || undefined}>
      <Icon of={icon ?? ICONS[line.kind]} sm />
      {children ?? <Words line={line} />}
      {line.people !== undefined && line.people > 0 && !gone ? (
        <button
          type="button"
          className={clsx(textLinkStyles.link, styles.see)}
          data-ui="link"
          aria-label={t.seeLine(words)}
          onClick={() => onSee(line)}
        >
          {t.see}
        </button>
      ) : (
        <span className={styles.see} />
      )}
      <Figure people={gone ? null : line.people} minus={minus} />
      <End line={line} words={words} invalid={invalid && gone} onRemove={onRemove ?? null} />
    </li>
  );
}

function Figure({ people, minus }: { people: number | null | undefined; minus: boolean }) {
  if (people === null) return <span className={styles.figure}>—</span>;
  if (people === undefined)
    return (
      <span className={styles.figure}>
        <Bone width="2rem" />
      </span>
    );
  return (
    <span className={styles.figure}>
      {minus && people > 0 ? "−" : ""}
      {formatNumber(people)}
    </span>
  );
}

const WHY_FIXED: Partial<Record<LineKind, string>> = {
  opted_out: t.always,
  weekly: t.setElsewhere,
  absent: t.sevenDays,
};

type EndProps = { line: Line; words: string; invalid: boolean; onRemove: (() => void) | null };

function End({ line, words, invalid, onRemove }: EndProps) {
  if (onRemove)
    return (
      <IconButton
        small
        plain
        className={styles.end}
        label={t.remove(words)}
        icon={X}
        data-invalid={invalid || undefined}
        onClick={onRemove}
      />
    );
  const why = WHY_FIXED[line.kind];
  if (!why) return <span className={styles.end} />;
  return (
    <span className={styles.end} title={why}>
      <Icon of={Lock} sm />
      <span className={layoutStyles.srOnly}>{why}</span>
    </span>
  );
}

function Total({ audience, lines }: { audience: CountedAudience; lines: readonly Line[] }) {
  const { count } = audience;
  const before = useBefore(audience);
  if (audience.error)
    return (
      <div className={styles.failed}>
        <QueryError title={t.failed} query={audience} />
      </div>
    );
  const noOne = count?.gets === 0 && audience.isFresh;
  const most = noOne ? mostTaking(lines) : null;
  return (
    <div className={clsx(styles.sum, noOne && styles.noOne)} aria-live="polite">
      <span>
        <b>{t.gets}</b>
        {noOne && (
          <span className={styles.why}>
            {t.noOne} {most && t.mostTaken(lineWords(most), t.names.count(most.people ?? 0))}
          </span>
        )}
        {before !== null && <span className={styles.why}>{t.before(formatNumber(before))}</span>}
      </span>
      <Counting audience={audience} />
      <span className={styles.total}>
        {count === undefined ? audience.question ? <Bone width="3rem" /> : "—" : formatNumber(count.gets)}
      </span>
    </div>
  );
}

function useBefore({ question, count, isFresh }: CountedAudience): number | null {
  const asked = JSON.stringify(question);
  const [seen, setSeen] = useState<{ asked: string; gets: number; before: number | null } | null>(null);
  const gets = isFresh ? count?.gets : undefined;
  if (gets !== undefined && (seen?.asked !== asked || seen.gets !== gets))
    setSeen({ asked, gets, before: seen?.asked === asked ? seen.gets : null });
  return seen?.asked === asked ? seen.before : null;
}
