import { clsx } from "clsx";
import { type MouseEvent, type ReactNode, useId, useRef, useState } from "react";
import { formatPhone } from "../../../domain/phone-written.ts";
import { findPlaceholders } from "../../../domain/placeholders.ts";
import { markOf } from "../../../domain/variables.ts";
import { formatNumber } from "../../messages/format.ts";
import { lastLookText as t } from "../../messages/last-look.ts";
import { newCampaignText } from "../../messages/new-campaign.ts";
import { Button } from "../../ui/button.tsx";
import { Checkbox } from "../../ui/checkbox.tsx";
import { Dialog } from "../../ui/dialog.tsx";
import layoutStyles from "../../ui/layout.module.css";
import noticeStyles from "../../ui/notice.module.css";
import { lineWords, sourceLines, withoutLines } from "./audience-lines.ts";
import { type CampaignForm, usedVariables } from "./form.ts";
import styles from "./last-look.module.css";
import { PlaceholderList } from "./placeholder-notice.tsx";
import { Wall } from "./preview.tsx";
import type { CountedAudience } from "./use-audience-count.ts";
import type { CampaignFormState } from "./use-campaign-form.ts";
import { sendsNow, useConnectionChoice } from "./use-connection-choice.ts";
import { useEstimate } from "./use-estimate.ts";
import type { Known, Variables } from "./use-variables.ts";

type Props = {
  form: CampaignFormState;
  audience: CountedAudience;
  used: readonly Known[];
  variables: Variables;
  uncounted: boolean;
  onEnd: (goOn: boolean) => void;
};

/** Final confirmation before sending. Focus starts on «Voltar». */
export function LastLook({ form, audience, used, variables, uncounted, onEnd }: Props) {
  const confirmed = useConfirmedPlaceholders(form.values);
  const scheduled = form.values.when === "at";
  // The second press of a double click on «Criar Campanha» lands here on phones: ignore it.
  const create = ({ detail: presses }: MouseEvent) => {
    if (presses > 1) return;
    if (confirmed.check()) onEnd(true);
  };
  return (
    <Dialog
      title={scheduled ? t.titleScheduled : t.title}
      context={form.values.name}
      size="mid"
      role="alertdialog"
      onClose={() => onEnd(false)}
      foot={
        <>
          <Button onClick={() => onEnd(false)}>{t.back}</Button>
          <Button look="primary" onClick={create}>
            {scheduled ? t.schedule : newCampaignText.create}
          </Button>
        </>
      }
    >
      <div className={clsx(layoutStyles.stack5, styles.lastLook)}>
        <Facts form={form} audience={audience} used={used} uncounted={uncounted} />
        <Message form={form} audience={audience} variables={variables} />
        {confirmed.box}
      </div>
    </Dialog>
  );
}

const UNCOUNTED = { count: undefined, question: null };

type FactsProps = Pick<Props, "form" | "audience" | "used" | "uncounted">;

function Facts({ form, audience, used, uncounted }: FactsProps) {
  const people = audience.isFresh && !uncounted ? (audience.count?.gets ?? null) : null;
  const sources = sourceLines(form.values, audience);
  const left = withoutLines(form.values, audience, used)
    .filter((line) => line.people)
    .toSorted((a, b) => (b.people ?? 0) - (a.people ?? 0));
  const estimate = useEstimate(form, people === null ? UNCOUNTED : audience);
  return (
    <dl className={clsx(layoutStyles.stack3, styles.facts)}>
      <div className={styles.count} aria-live="polite">
        {people === null ? (
          <dd>{uncounted ? t.uncounted : t.counting}</dd>
        ) : (
          <>
            <dd data-ui="num">{formatNumber(people)}</dd>
            <dt>{t.receive(people)}</dt>
          </>
        )}
      </div>
      <Fact name={sources.length > 1 || sources[0]?.kind === "segment" ? t.audience : t.list}>
        <b>{sources.map(({ name }) => name).join(" + ")}</b>
        {left.length === 1 && left[0]?.kind === "opted_out" && <span>{t.left(left[0].people ?? 0)}</span>}
      </Fact>
      {left.some(({ kind }) => kind !== "opted_out") && (
        <Fact name={t.without}>
          {left.map((line) => (
            <span key={line.key} className={styles.whole}>
              {t.leftBy(lineWords(line), line.people ?? 0)}
            </span>
          ))}
        </Fact>
      )}
      <Fact name={t.number}>
        <Through form={form} />
      </Fact>
      {estimate && (
        <Fact name={t.time}>
          <span data-ui="num">
            {estimate.fact} {estimate.course}
          </span>
        </Fact>
      )}
    </dl>
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
      {!sendsNow(meant, form.values.image !== null) && <span>{t.waits}</span>}
    </>
  );
}

function Message({ form, audience, variables }: Pick<Props, "form" | "audience" | "variables">) {
  const heading = useId();
  const first = audience.isFresh ? audience.count?.items[0] : undefined;
  const name = first ? first.name : newCampaignText.previewPerson;
  return (
    <section aria-labelledby={heading}>
      <h3 id={heading}>{t.message}</h3>
      {first && <p>{t.to(name || formatPhone(first.phone))}</p>}
      <Wall form={form} name={name} texts={variables.textsFor(first?.phone)} />
    </section>
  );
}

function useConfirmedPlaceholders(values: CampaignForm): { check: () => boolean; box: ReactNode } {
  const [ticked, setTicked] = useState(false);
  const [missed, setMissed] = useState(false);
  const box = useRef<HTMLInputElement>(null);
  const { text } = values;
  const fields = new Set(usedVariables(values).map(({ key }) => markOf(key)));
  if (findPlaceholders(text, fields).length === 0) return { check: () => true, box: null };
  return {
    check: () => {
      setMissed(!ticked);
      if (!ticked) box.current?.focus();
      return ticked;
    },
    box: (
      <div className={noticeStyles.notice} data-ui="notice" data-tone="warning">
        <div>
          <PlaceholderList text={text} fields={fields} />
          <Checkbox
            ref={box}
            checked={ticked}
            error={missed && !ticked ? t.confirmLiteral : null}
            onChange={({ target }) => setTicked(target.checked)}
          >
            {t.sendLiteral}
          </Checkbox>
        </div>
      </div>
    ),
  };
}
