import { Check, ChevronLeft, ChevronRight } from "lucide-react";
import { useId, useState } from "react";
import type { Contact } from "../../../contract/contacts.ts";
import { isBlank, normalizeText, renderMessage } from "../../../domain/message-text.ts";
import { formatPhone } from "../../../domain/phone-written.ts";
import { formatDate, formatNumber, formatTime, initial } from "../../messages/format.ts";
import { newCampaignText as t } from "../../messages/new-campaign.ts";
import { Icon } from "../../ui/icon.tsx";
import { IconButton } from "../../ui/icon-button.tsx";
import { imageAddress } from "../../ui/image-upload.tsx";
import { WhatsappText } from "../../ui/whatsapp-text.tsx";
import { TestSend } from "./test-send.tsx";
import type { CampaignFormState } from "./use-campaign-form.ts";
import { meantInstant } from "./wall-time.ts";

type Props = {
  form: CampaignFormState;
  contacts: readonly Contact[];
  people: number | null;
  trying: boolean;
};

export function Preview({ form, contacts, people, trying }: Props) {
  const heading = useId();
  const [turned, setTurned] = useState(0);
  const place = contacts.length === 0 ? 0 : turned % contacts.length;
  const contact = contacts[place];
  const name = contact ? contact.name : t.previewPerson;
  return (
    <aside className="card preview" aria-labelledby={heading}>
      <div className="card-head">
        <h2 id={heading} className="card-title">
          {t.preview}
        </h2>
        {contact && people !== null && (
          <div className="turn">
            {contacts.length > 1 && (
              <IconButton
                small
                label={t.previewPrevious}
                icon={ChevronLeft}
                onClick={() => setTurned(place + contacts.length - 1)}
              />
            )}
            <span aria-live="polite">{t.previewPlace(formatNumber(place + 1), formatNumber(people))}</span>
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
      <div className="peer">
        <span className="avatar grey" aria-hidden="true">
          {initial(name)}
        </span>
        <div className="person">
          <b className="clip">{name || t.nameless}</b>
          {contact && <span>{formatPhone(contact.phone)}</span>}
        </div>
      </div>
      <Wall form={form} name={name} />
      <p className="note">{t.previewNote}</p>
      <TestSend form={form} sample={contact?.name ?? ""} wanted={trying} />
    </aside>
  );
}

/** A scroll box must be focusable. */
const scrolling = { tabIndex: 0 };

export function Wall({ form, name }: { form: CampaignFormState; name: string }) {
  const { text, nameFallback, image } = form.values;
  const said = renderMessage(normalizeText(text), name, nameFallback);
  const blank = isBlank(said);
  if (blank && !image)
    return (
      <div className="wall">
        <p className="nothing">{t.previewEmpty}</p>
      </div>
    );
  const { day, time } = moment(form);
  return (
    <section className="wall" {...scrolling} aria-label={t.preview}>
      <span className="chat-day">{day}</span>
      <div className="bubble mine">
        {image && <img className="pic" src={imageAddress(image.id)} alt={t.previewImage} />}
        {!blank && (
          <div className="said">
            <WhatsappText text={said} />
          </div>
        )}
        <div className="stamp">
          {time}
          <Icon of={Check} />
        </div>
      </div>
    </section>
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
