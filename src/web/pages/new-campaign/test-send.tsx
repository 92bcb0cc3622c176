import { clsx } from "clsx";
import { Send, X } from "lucide-react";
import { type FormEvent, useCallback, useId, useState } from "react";
import type { Connection } from "../../../contract/connections.ts";
import type { TestSend as Sent } from "../../../contract/test-sends.ts";
import { type FieldTexts, usesName } from "../../../domain/message-text.ts";
import { formatPhone } from "../../../domain/phone-written.ts";
import { errorTextOf } from "../../api/api-error.ts";
import { useMe } from "../../api/me.ts";
import { formatAt } from "../../messages/format.ts";
import { testSendText as t } from "../../messages/test-send.ts";
import { Button } from "../../ui/button.tsx";
import { DeliveryBadge } from "../../ui/delivery-badge.tsx";
import { SmallError } from "../../ui/error-notice.tsx";
import { IconButton } from "../../ui/icon-button.tsx";
import { TextInput } from "../../ui/inputs.tsx";
import layoutStyles from "../../ui/layout.module.css";
import { Notice } from "../../ui/notice.tsx";
import textLinkStyles from "../../ui/text-link.module.css";
import { TextLink } from "../../ui/text-link.tsx";
import styles from "./test-send.module.css";
import type { CampaignFormState } from "./use-campaign-form.ts";
import { useConnectionChoice } from "./use-connection-choice.ts";
import { type TestSendState, useTestSend } from "./use-test-send.ts";

type Props = {
  form: CampaignFormState;
  sample: string;
  texts: FieldTexts | null;
  wanted: boolean;
};

export function TestSend({ form, sample, texts, wanted }: Props) {
  const heading = useId();
  const [open, setOpen] = useState(wanted);
  // The pressed button is gone: focus its replacement.
  const [pressed, setPressed] = useState(false);
  const turn = (next: boolean) => {
    setPressed(true);
    setOpen(next);
  };
  const arrive = useCallback(
    (heading: HTMLElement | null) => {
      if (pressed) heading?.focus();
    },
    [pressed],
  );
  const { all, meant } = useConnectionChoice(form.values.connection);
  const test = useTestSend(form, meant?.number ?? null, { name: sample, texts });
  if (!open)
    return (
      <div className={styles.try}>
        <Button small icon={Send} autoFocus={pressed} onClick={() => turn(true)}>
          {t.open}
        </Button>
      </div>
    );
  return (
    <section className={clsx(styles.try, styles.open)} aria-labelledby={heading}>
      <header>
        <h3 ref={arrive} id={heading} tabIndex={-1}>
          {t.title}
        </h3>
        <IconButton small label={t.close} icon={X} onClick={() => turn(false)} />
      </header>
      <div role="status" aria-label={t.result}>
        {test.result && <Result sent={test.result} />}
      </div>
      {all && <Through connection={meant} />}
      {meant && isUsable(meant) && <Fields test={test} form={form} own={meant.number} />}
    </section>
  );
}

const isUsable = ({ state, desired }: Connection) =>
  desired === "connected" && (state === "connected" || state === "connecting");

function Through({ connection }: { connection: Connection | null }) {
  if (!connection)
    return (
      <Notice tone="info">
        {t.noConnection} <TextLink to="/baileys">{t.connect}</TextLink>
      </Notice>
    );
  if (isUsable(connection)) return null;
  return (
    <Notice tone="warning">
      {t.down(connection.name || connection.deviceId)}{" "}
      <TextLink to="/whatsapp/connections">{t.seeConnections}</TextLink>
    </Notice>
  );
}

type FieldsProps = { test: TestSendState; form: CampaignFormState; own: string | null };

function Fields({ test, form, own }: FieldsProps) {
  const submit = (event: FormEvent) => {
    event.preventDefault();
    test.send();
  };
  const { errors, error, aboutMessage } = test;
  const isOwn = own !== null && test.number === formatPhone(own);
  const placed = aboutMessage || errors.number !== undefined || errors.name !== undefined;
  return (
    <form noValidate onSubmit={submit} aria-label={t.title}>
      <div className={styles.number}>
        <TextInput
          label={t.number}
          type="tel"
          data-ui="num"
          autoComplete="tel"
          placeholder={t.numberPlaceholder}
          value={test.number}
          error={errors.number}
          hint={isOwn ? t.own : t.notCounted}
          onChange={({ target }) => test.setNumber(target.value)}
        />
        {own !== null && !isOwn && (
          <button type="button" className={textLinkStyles.link} data-ui="link" onClick={test.toOwn}>
            {t.toOwn(formatPhone(own))}
          </button>
        )}
      </div>
      {usesName(form.values.text) && (
        <TextInput
          label={t.sample}
          optional
          autoComplete="off"
          value={test.name}
          error={errors.name}
          onChange={({ target }) => test.setName(target.value)}
        />
      )}
      {aboutMessage && <SmallError title={t.invalidMessage} />}
      {error !== null && !placed && <SmallError title={t.failed} text={errorTextOf(error, "")} />}
      <Button type="submit" icon={Send} busy={test.busy} busyText={t.sending}>
        {test.result ? t.sendAgain : t.send}
      </Button>
    </form>
  );
}

function Result({ sent }: { sent: Sent }) {
  const { timeZone } = useMe();
  const { status, error, phone, at } = sent;
  const when = formatAt(at, timeZone);
  const words =
    status === "accepted" || status === "sent" || status === "delivered" || status === "read"
      ? t[status](when)
      : (error?.text ?? t.pending);
  return (
    <div className={clsx(layoutStyles.frame, styles.outcome)}>
      <div>
        <span data-ui="num">{t.to(formatPhone(phone))}</span>
        <DeliveryBadge status={status} reason={error?.code ?? null} />
      </div>
      <p>{words}</p>
    </div>
  );
}
