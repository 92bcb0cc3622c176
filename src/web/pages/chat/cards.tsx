import { MapPin, UserPlus } from "lucide-react";
import type { ChatMessage } from "../../../contract/chats.ts";
import { formatPhone } from "../../../domain/phone-written.ts";
import { chatText } from "../../messages/chat.ts";
import { Button } from "../../ui/button.tsx";
import { Icon } from "../../ui/icon.tsx";
import { TalkLink } from "../../ui/talk-link.tsx";
import textLinkStyles from "../../ui/text-link.module.css";
import styles from "./facts.module.css";

const t = chatText.cards;

export type SaveCard = (card: { name: string; phone: string }) => void;

type Props = { message: ChatMessage; connectionId: number; onSave: SaveCard };

export function Cards({ message: { contacts }, connectionId, onSave }: Props) {
  if (contacts.length === 0) return null;
  return (
    <ul className={styles.cards}>
      {contacts.map(({ name, phones, others }, at) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: a message's cards never change places
        <li key={at}>
          <b>{name || t.noName}</b>
          {phones.map((phone) => (
            <div key={phone} className={styles.cardLine}>
              <TalkLink phone={phone} name={name} connectionId={connectionId} />
              <Button
                small
                icon={UserPlus}
                onClick={() => onSave({ name, phone })}
                aria-label={t.saveOf(name, formatPhone(phone))}
              >
                {t.save}
              </Button>
            </div>
          ))}
          {others.map((other) => (
            <p key={other}>{other}</p>
          ))}
        </li>
      ))}
    </ul>
  );
}

const mapAddress = ({ latitude, longitude }: NonNullable<ChatMessage["place"]>) =>
  `https://maps.google.com/?q=${latitude},${longitude}`;

const DIGITS = 5;

export function Place({ place }: { place: NonNullable<ChatMessage["place"]> }) {
  const { latitude, longitude } = place;
  return (
    <p className={styles.place}>
      <Icon of={MapPin} />
      <a
        className={textLinkStyles.link}
        data-ui="link"
        href={mapAddress(place)}
        target="_blank"
        rel="noreferrer"
      >
        {t.map}
      </a>
      <span data-ui="num">{`${latitude.toFixed(DIGITS)}, ${longitude.toFixed(DIGITS)}`}</span>
    </p>
  );
}

export function Poll({ poll: { options, voters, sealed } }: { poll: NonNullable<ChatMessage["poll"]> }) {
  const most = Math.max(1, ...options.map(({ votes }) => votes));
  return (
    <div className={styles.poll}>
      <ul>
        {options.map(({ text, votes }, at) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: a poll's options never change places
          <li key={at} className={styles.option}>
            <span>{text}</span>
            <span data-ui="num">{chatText.poll.votes(votes)}</span>
            <i className={styles.share} aria-hidden="true">
              <i style={{ width: `${(votes / most) * 100}%` }} />
            </i>
          </li>
        ))}
      </ul>
      <p>{chatText.poll.voters(voters)}</p>
      {sealed > 0 && <p>{chatText.poll.sealed(sealed)}</p>}
    </div>
  );
}

export function LinkPreview({
  link: { url, title, description },
}: {
  link: NonNullable<ChatMessage["link"]>;
}) {
  const { host } = new URL(url);
  return (
    <a className={styles.preview} href={url} target="_blank" rel="noreferrer" title={chatText.opens(host)}>
      <b>{title}</b>
      {description !== "" && <span>{description}</span>}
      <span>{host}</span>
    </a>
  );
}

export function wordsBeside({ text, contacts, place, poll }: ChatMessage): string {
  if (contacts.length > 0) return "";
  if (poll) return poll.question;
  if (place === null) return text;
  const address = mapAddress(place);
  return text
    .split("\n")
    .filter((line) => line !== address)
    .join("\n");
}
