import { useQuery } from "@tanstack/react-query";
import { type ReactNode, useId, useState } from "react";
import { formatPhone } from "../../../domain/phone-written.ts";
import { undoTimeQuery } from "../../api/undo-time.ts";
import type { Known } from "../../library/use-known.ts";
import { audienceText } from "../../messages/audience.ts";
import { formatNumber } from "../../messages/format.ts";
import { lastLookText as t } from "../../messages/last-look.ts";
import textStyles from "../../ui/text.module.css";
import textLinkStyles from "../../ui/text-link.module.css";
import { changeWithout } from "./audience-edit.ts";
import { type Line, lineWords, sourceLines, twiceLine, withoutLines } from "./audience-lines.ts";
import { filesOf, messagesOf } from "./form.ts";
import styles from "./last-look.module.css";
import { Risk } from "./last-look-risk.tsx";
import { NamesDialog } from "./names-dialog.tsx";
import { NumberChecks } from "./number-checks.tsx";
import type { CountedAudience } from "./use-audience-count.ts";
import type { CampaignFormState } from "./use-campaign-form.ts";
import { sendsNow, useConnectionChoice } from "./use-connection-choice.ts";
import { useEstimate } from "./use-estimate.ts";

const UNCOUNTED = { count: undefined, question: null };

type Props = {
  form: CampaignFormState;
  audience: CountedAudience;
  used: readonly Known[];
  /** Null: not counted by now, or not at all. */
  people: number | null;
  uncounted: boolean;
};

export function LastLookFacts({ form, audience, used, people, uncounted }: Props) {
  const estimate = useEstimate(form, people === null ? UNCOUNTED : audience);
  const sources = sourceLines(form.values, audience);
  const messages = messagesOf(form.values).length;
  return (
    <>
      <div className={styles.head}>
        <p className={styles.count} aria-live="polite">
          {people === null ? (
            <span>{uncounted ? t.uncounted : t.counting}</span>
          ) : (
            <>
              <b data-ui="num">{formatNumber(people)}</b>
              <span>{t.receive(people)}</span>
            </>
          )}
        </p>
        <dl className={styles.facts}>
          <Fact name={sources.length > 1 || sources[0]?.kind === "segment" ? t.audience : t.list}>
            <b>{sources.map(({ name }) => name).join(" + ")}</b>
          </Fact>
          <Fact name={t.number}>
            <Through form={form} />
          </Fact>
          {messages > 1 && (
            <Fact name={t.perPerson}>
              <b data-ui="num">{t.messagesEach(messages)}</b>
            </Fact>
          )}
          {estimate && (
            <Fact name={t.time}>
              <span data-ui="num">
                {estimate.fact} {estimate.course}
              </span>
            </Fact>
          )}
        </dl>
      </div>
      {people !== null && <LeftOut form={form} audience={audience} used={used} />}
      {estimate && <Risk forecast={estimate.forecast} />}
      <UndoNote now={form.values.when === "now"} />
    </>
  );
}

const Fact = ({ name, children }: { name: string; children: ReactNode }) => (
  <div>
    <dt>{name}</dt>
    <dd>{children}</dd>
  </div>
);

function Through({ form }: { form: CampaignFormState }) {
  const { meant } = useConnectionChoice(form.values.connection);
  if (!meant) return <b>{t.noNumber}</b>;
  return (
    <>
      <b>{meant.name || meant.deviceId}</b>
      {meant.number !== null && <span data-ui="num">{formatPhone(meant.number)}</span>}
      {!sendsNow(meant, filesOf(form.values).length > 0) && <span>{t.waits}</span>}
    </>
  );
}

function LeftOut({ form, audience, used }: Pick<Props, "form" | "audience" | "used">) {
  const heading = useId();
  const [seen, setSeen] = useState<Line | null>(null);
  const { count, question } = audience;
  const left = withoutLines(form.values, audience, used)
    .filter(({ people }) => people)
    .toSorted((a, b) => (b.people ?? 0) - (a.people ?? 0));
  const lines = [...(count && count.twice > 0 ? [twiceLine(count.twice)] : []), ...left];
  const landLines = count?.landLines ?? 0;
  return (
    <section aria-labelledby={heading}>
      <h3 id={heading}>{lines.length > 0 ? t.without : t.withoutNone}</h3>
      {lines.length > 0 && (
        <ul className={styles.left}>
          {lines.map((line) => (
            <li key={line.key}>
              <span>{lineWords(line)}</span>
              <button
                type="button"
                className={textLinkStyles.link}
                data-ui="link"
                aria-label={audienceText.seeLine(lineWords(line))}
                onClick={() => setSeen(line)}
              >
                {t.names}
              </button>
              <b data-ui="num">{formatNumber(line.people ?? 0)}</b>
            </li>
          ))}
        </ul>
      )}
      {landLines > 0 && (
        <p className={textStyles.quiet}>
          {t.landLines(landLines)}{" "}
          <button
            type="button"
            className={textLinkStyles.link}
            data-ui="link"
            onClick={() => form.set("audience", changeWithout(form.values.audience, { landLines: true }))}
          >
            {t.leaveOut}
          </button>
        </p>
      )}
      <NumberChecks question={question} />
      {seen && question && <NamesDialog line={seen} question={question} onClose={() => setSeen(null)} />}
    </section>
  );
}

function UndoNote({ now }: { now: boolean }) {
  const seconds = useQuery(undoTimeQuery).data?.seconds ?? 0;
  return now && seconds > 0 ? <p className={textStyles.quiet}>{t.undo(seconds)}</p> : null;
}
