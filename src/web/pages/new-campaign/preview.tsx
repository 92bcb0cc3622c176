import { clsx } from "clsx";
import { Check, ChevronLeft, ChevronRight } from "lucide-react";
import { lazy, Suspense, useId, useState } from "react";
import type { AudienceCount } from "../../../contract/audiences.ts";
import { withLeaveHint } from "../../../domain/leave-hint.ts";
import {
  type FieldTexts,
  isBlank,
  normalizeText,
  renderMessage,
  TEXT_VERSION,
} from "../../../domain/message-text.ts";
import { formatPhone } from "../../../domain/phone-written.ts";
import { formatDate, formatNumber, formatTime, initial } from "../../messages/format.ts";
import { newCampaignText as t } from "../../messages/new-campaign.ts";
import { attachmentAddress } from "../../ui/attachment-upload.tsx";
import avatarStyles from "../../ui/avatar.module.css";
import bubbleStyles from "../../ui/bubble.module.css";
import cardStyles from "../../ui/card.module.css";
import { Icon } from "../../ui/icon.tsx";
import { IconButton } from "../../ui/icon-button.tsx";
import layoutStyles from "../../ui/layout.module.css";
import personStyles from "../../ui/person.module.css";
import textStyles from "../../ui/text.module.css";
import { CutLine } from "../../ui/tooltip.tsx";
import { WhatsappText } from "../../ui/whatsapp-text.tsx";
import { type FormFile, messagesOf } from "./form.ts";
import lastLookStyles from "./last-look.module.css";
import newCampaignStyles from "./new-campaign.module.css";
import testSendStyles from "./test-send.module.css";
import { TestSend } from "./test-send.tsx";
import type { CampaignFormState } from "./use-campaign-form.ts";
import type { Variables } from "./use-variables.ts";
import { meantInstant } from "./wall-time.ts";

const AttachmentContent = lazy(async () => ({
  default: (await import("../../ui/attachment-content.tsx")).AttachmentContent,
}));

type Props = {
  form: CampaignFormState;
  contacts: AudienceCount["items"];
  people: number | null;
  variables: Variables;
  trying: boolean;
};

export function Preview({ form, contacts, people, variables, trying }: Props) {
  const heading = useId();
  const [turned, setTurned] = useState(0);
  const place = contacts.length === 0 ? 0 : turned % contacts.length;
  const contact = contacts[place];
  const name = contact ? contact.name : t.previewPerson;
  const texts = variables.textsFor(contact?.phone);
  return (
    <aside
      className={clsx(
        cardStyles.card,
        layoutStyles.column,
        newCampaignStyles.preview,
        testSendStyles.preview,
      )}
      aria-labelledby={heading}
    >
      <div className={cardStyles.cardHead} data-ui="card-head">
        <h2 id={heading} className={cardStyles.cardTitle}>
          {t.preview}
        </h2>
        {contact && people !== null && (
          <div className={clsx(textStyles.fact, newCampaignStyles.turn)}>
            {contacts.length > 1 && (
              <IconButton
                small
                label={t.previewPrevious}
                icon={ChevronLeft}
                onClick={() => setTurned(place + contacts.length - 1)}
              />
            )}
            <span aria-live="polite">
              {t.previewPlace(formatNumber(place + 1), formatNumber(contacts.length))}
            </span>
            {contacts.length > 1 && (
              <IconButton
                small
                label={t.previewNext}
                icon={ChevronRight}
                onClick={() => setTurned(place + 1)}
              />
            )}
          </div>
        )}
      </div>
      <div className={newCampaignStyles.peer} data-ui="peer">
        <span className={clsx(avatarStyles.avatar, avatarStyles.grey)} data-ui="avatar" aria-hidden="true">
          {initial(name)}
        </span>
        <div className={personStyles.person} data-ui="person">
          <b>
            <CutLine text={name || t.nameless} />
          </b>
          {contact && <span>{formatPhone(contact.phone)}</span>}
        </div>
      </div>
      <Wall form={form} name={name} texts={texts} />
      <p className={clsx(textStyles.quiet, newCampaignStyles.note, testSendStyles.note)}>{t.previewNote}</p>
      <TestSend form={form} sample={contact?.name ?? ""} texts={texts} wanted={trying} />
    </aside>
  );
}

const scrolling = { tabIndex: 0 };

type WallProps = { form: CampaignFormState; name: string; texts: FieldTexts | null; label?: string };

export function Wall({ form, name, texts, label = t.preview }: WallProps) {
  const { nameFallback, leaveHint } = form.values;
  const saidOf = (text: string) =>
    renderMessage(withLeaveHint(normalizeText(text), leaveHint), name, nameFallback, TEXT_VERSION, texts);
  const messages = messagesOf(form.values).map(({ text, file }, nth) => ({
    file,
    said: nth === 0 ? saidOf(text) : "",
  }));
  if (messages.every(({ file, said }) => !file && isBlank(said)))
    return (
      <div
        className={clsx(
          layoutStyles.column,
          newCampaignStyles.wall,
          testSendStyles.wall,
          lastLookStyles.wall,
        )}
      >
        <p className={newCampaignStyles.nothing}>{t.previewEmpty}</p>
      </div>
    );
  const { day, time } = moment(form);
  return (
    <section
      className={clsx(
        layoutStyles.ringInside,
        layoutStyles.column,
        newCampaignStyles.wall,
        testSendStyles.wall,
        lastLookStyles.wall,
      )}
      {...scrolling}
      aria-label={label}
    >
      <span className={bubbleStyles.chatDay} data-ui="chat-day">
        {day}
      </span>
      {messages.map(({ file, said }, nth) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: the same file may come twice
        <Bubble key={nth} file={file} said={said} time={time} />
      ))}
    </section>
  );
}

function Bubble({ file, said, time }: { file: FormFile | null; said: string; time: string }) {
  return (
    <div className={clsx(bubbleStyles.bubble, bubbleStyles.mine)} data-ui="bubble">
      {file?.kind === "image" && (
        <img className={bubbleStyles.pic} src={attachmentAddress(file.id)} alt={t.previewImage} />
      )}
      {file && file.kind !== "image" && (
        <Suspense>
          <AttachmentContent file={file} />
        </Suspense>
      )}
      {!isBlank(said) && (
        <div className={bubbleStyles.said} data-ui="said">
          <WhatsappText text={said} />
        </div>
      )}
      <div className={bubbleStyles.stamp} data-ui="stamp">
        {time}
        <Icon of={Check} />
      </div>
    </div>
  );
}

function moment(form: CampaignFormState): { day: string; time: string } {
  const now = new Date();
  const { when, date, time } = form.values;
  const meant = when === "at" ? meantInstant(date, time, form.zone, now) : null;
  if (meant?.ok)
    return {
      day: formatDate(meant.at.toISOString(), form.zone),
      time: formatTime(meant.at, form.zone),
    };
  return { day: t.previewToday, time: formatTime(now, form.zone) };
}
