import { Link, type LinkProps } from "@tanstack/react-router";
import { clsx } from "clsx";
import { ArrowRight, Check, X } from "lucide-react";
import { useEffect, useId, useRef } from "react";
import type { FirstSteps as Steps } from "../../../contract/dashboard.ts";
import { useHideFirstSteps } from "../../api/first-steps.ts";
import { restoreFocus } from "../../lib/restore-focus.ts";
import { firstStepsText as t } from "../../messages/first-steps.ts";
import cardStyles from "../../ui/card.module.css";
import { Icon } from "../../ui/icon.tsx";
import { IconButton } from "../../ui/icon-button.tsx";
import layoutStyles from "../../ui/layout.module.css";
import textStyles from "../../ui/text.module.css";
import { toastDone, toastFailed } from "../../ui/toast.tsx";
import styles from "./first-steps.module.css";

type Step = { key: keyof Steps; title: string; text: string; where: LinkProps };

const STEPS: readonly Step[] = [
  { key: "connect", title: t.connect, text: t.connectText, where: { to: "/baileys" } },
  { key: "contacts", title: t.contacts, text: t.contactsText, where: { to: "/contacts" } },
  {
    key: "test",
    title: t.test,
    text: t.testText,
    where: { to: "/campaigns/new", search: { teste: true } },
  },
  { key: "campaign", title: t.campaign, text: t.campaignText, where: { to: "/campaigns/new" } },
];

const countDone = (steps: Steps) => STEPS.filter(({ key }) => steps[key]).length;

export function FirstSteps({ steps }: { steps: Steps }) {
  const heading = useId();
  const hide = useHideFirstSteps();
  const busy = useRef(false);
  const done = countDone(steps);
  const over = done === STEPS.length;
  useEffect(() => {
    // Stored, so that a later disconnect does not bring it back; on error the next visit retries.
    if (over) hide(true).catch(() => undefined);
  }, [over, hide]);
  if (over) return null;
  const next = STEPS.find(({ key }) => !steps[key]);
  const putAway = async (away: boolean, goOn?: () => void) => {
    // A second press before the answer would send it twice.
    if (busy.current) return;
    busy.current = true;
    try {
      await hide(away);
      goOn?.();
      if (away) toastDone(t.putAwayDone, { label: t.undo, onPress: () => void putAway(false) });
    } catch {
      toastFailed(t.failed);
    } finally {
      busy.current = false;
    }
  };
  return (
    <section className={clsx(cardStyles.card, styles.firstSteps)} aria-labelledby={heading}>
      <header>
        <h2 id={heading} className={cardStyles.cardTitle}>
          {t.title}
        </h2>
        <p className={textStyles.fact}>{t.done(done, STEPS.length)}</p>
        <IconButton
          small
          label={t.putAway}
          icon={X}
          onClick={(event) => void putAway(true, restoreFocus(event))}
        />
      </header>
      <ol>
        {STEPS.map((step, at) => (
          <li key={step.key}>
            <OneStep step={step} place={at + 1} done={steps[step.key]} next={step === next} />
          </li>
        ))}
      </ol>
    </section>
  );
}

function OneStep({ step, place, done, next }: { step: Step; place: number; done: boolean; next: boolean }) {
  if (done)
    return (
      <div className={clsx(styles.step, styles.done)}>
        <span className={styles.mark}>
          <Icon of={Check} sm />
        </span>
        <div>
          <h3>
            <span className={layoutStyles.srOnly}>{t.stepDone}</span> {step.title}
          </h3>
        </div>
      </div>
    );
  return (
    <Link {...step.where} className={clsx(layoutStyles.ringInside, styles.step, next && styles.next)}>
      <span className={styles.mark} aria-hidden="true">
        {place}
      </span>
      <div>
        <h3>{step.title}</h3>
        <p>{step.text}</p>
      </div>
      <Icon of={ArrowRight} className={styles.go} />
    </Link>
  );
}
