import { clsx } from "clsx";
import { type MouseEvent, type ReactNode, useId, useRef, useState } from "react";
import type { Contact, ContactListCard } from "../../../contract/contacts.ts";
import { formatPhone } from "../../../domain/phone-written.ts";
import { findPlaceholders } from "../../../domain/placeholders.ts";
import { listName } from "../../lib/list-name.ts";
import { formatNumber } from "../../messages/format.ts";
import { lastLookText as t } from "../../messages/last-look.ts";
import { newCampaignText } from "../../messages/new-campaign.ts";
import { Button } from "../../ui/button.tsx";
import { Checkbox } from "../../ui/checkbox.tsx";
import { Dialog } from "../../ui/dialog.tsx";
import layoutStyles from "../../ui/layout.module.css";
import noticeStyles from "../../ui/notice.module.css";
import styles from "./last-look.module.css";
import { PlaceholderList } from "./placeholder-notice.tsx";
import { Wall } from "./preview.tsx";
import type { CampaignFormState } from "./use-campaign-form.ts";
import { sendsNow, useConnectionChoice } from "./use-connection-choice.ts";
import { useEstimate } from "./use-estimate.ts";

type Props = {
  form: CampaignFormState;
  list: ContactListCard | undefined;
  contacts: readonly Contact[];
  /** Opted-out contacts; null if unknown. */
  left: number | null;
  uncounted: boolean;
  onEnd: (goOn: boolean) => void;
};

/** Final confirmation before sending. Focus starts on «Voltar». */
export function LastLook({ form, list, contacts, left, uncounted, onEnd }: Props) {
  const confirmed = useConfirmedPlaceholders(form.values.text);
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
        <Facts form={form} list={list} left={left} uncounted={uncounted} />
        <Message form={form} contacts={contacts} />
        {confirmed.box}
      </div>
    </Dialog>
  );
}

type FactsProps = Pick<Props, "form" | "list" | "left" | "uncounted">;

function Facts({ form, list, left, uncounted }: FactsProps) {
  const people = list && left !== null && !uncounted ? list.count - left : null;
  const estimate = useEstimate(form, people);
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
      <Fact name={t.list}>
        {list && <b>{listName(list)}</b>}
        {left !== null && left > 0 && <span>{t.left(left)}</span>}
      </Fact>
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

function Message({ form, contacts }: Pick<Props, "form" | "contacts">) {
  const heading = useId();
  const first = contacts.find(({ optedOut }) => !optedOut);
  const name = first ? first.name : newCampaignText.previewPerson;
  return (
    <section aria-labelledby={heading}>
      <h3 id={heading}>{t.message}</h3>
      {first && <p>{t.to(name || formatPhone(first.phone))}</p>}
      <Wall form={form} name={name} />
    </section>
  );
}

function useConfirmedPlaceholders(text: string): { check: () => boolean; box: ReactNode } {
  const [ticked, setTicked] = useState(false);
  const [missed, setMissed] = useState(false);
  const box = useRef<HTMLInputElement>(null);
  if (findPlaceholders(text).length === 0) return { check: () => true, box: null };
  return {
    check: () => {
      setMissed(!ticked);
      if (!ticked) box.current?.focus();
      return ticked;
    },
    box: (
      <div className={noticeStyles.notice} data-ui="notice" data-tone="warning">
        <div>
          <PlaceholderList text={text} />
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
