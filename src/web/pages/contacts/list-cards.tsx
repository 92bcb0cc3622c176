import { useSearch } from "@tanstack/react-router";
import { clsx } from "clsx";
import { Download, Megaphone, Trash2, Users, UserX } from "lucide-react";
import { lazy, Suspense, useState } from "react";
import type { Contact, ContactListCard } from "../../../contract/contacts.ts";
import { formatPhone } from "../../../domain/phone-written.ts";
import { address } from "../../api/call.ts";
import { useMe } from "../../api/me.ts";
import { listName } from "../../lib/list-name.ts";
import { contactsText as t } from "../../messages/contacts.ts";
import { formatDate } from "../../messages/format.ts";
import { leavingRequestsText } from "../../messages/leaving-requests.ts";
import { optOutsText } from "../../messages/opt-outs.ts";
import { listPeopleText as people } from "../../messages/paged-rows.ts";
import { Badge } from "../../ui/badge.tsx";
import { Button } from "../../ui/button.tsx";
import cardStyles from "../../ui/card.module.css";
import layoutStyles from "../../ui/layout.module.css";
import { DownloadButton, LinkButton } from "../../ui/link-button.tsx";
import { Bone, Skeleton } from "../../ui/skeleton.tsx";
import textStyles from "../../ui/text.module.css";
import textLinkStyles from "../../ui/text-link.module.css";
import { useFocusOnUnmount } from "../../ui/use-focus-on-unmount.ts";
import styles from "./contacts.module.css";
import { nameHolds } from "./found.ts";
import { useAddress } from "./use-address.ts";

const ListDialog = lazy(async () => ({ default: (await import("./list-dialog.tsx")).ListDialog }));

const PersonDialog = lazy(async () => ({ default: (await import("./person-dialog.tsx")).PersonDialog }));

type Props = { lists: readonly ContactListCard[]; onDelete: (list: ContactListCard) => void };

export function ListCards({ lists, onDelete }: Props) {
  return (
    <div className={styles.lists} data-ui="lists">
      {lists.map((list) => (
        <ListCard key={list.id} list={list} onDelete={onDelete} />
      ))}
    </div>
  );
}

function ListCard({ list, onDelete }: { list: ContactListCard; onDelete: Props["onDelete"] }) {
  const { busca, pessoas } = useSearch({ strict: false });
  const go = useAddress();
  const showPeople = () => go({ pessoas: list.id });
  const [person, setPerson] = useState<Contact | null>(null);
  const card = useFocusOnUnmount();
  const name = listName(list);
  const aboutPeople = (list.matches ?? 0) > 0;
  const rest = (list.matches ?? list.count) - list.first.length;
  return (
    <article ref={card} className={clsx(cardStyles.card, layoutStyles.column, styles.list)} aria-label={name}>
      <header>
        <h2 className={cardStyles.cardTitle}>{name}</h2>
        <p className={textStyles.fact} data-ui="num">
          {list.matches === null ? t.count(list.count) : t.found(list.matches, list.count)}
        </p>
      </header>
      <ul>
        {list.first.map((contact) => (
          <li key={contact.phone}>
            <span>
              {aboutPeople ? (
                <button type="button" className={textLinkStyles.link} onClick={() => setPerson(contact)}>
                  {contact.name || t.noName}
                </button>
              ) : (
                contact.name || <span className={textStyles.muted}>{t.noName}</span>
              )}
              {contact.optedOut && (
                <Badge tone="quiet" icon={UserX} low>
                  {contact.asksToLeave ? leavingRequestsText.badge : optOutsText.badge}
                </Badge>
              )}
            </span>
            <span className={styles.phone}>{formatPhone(contact.phone)}</span>
          </li>
        ))}
      </ul>
      <p className={clsx(textStyles.fact, styles.more)}>
        {rest > 0 ? (
          <button
            type="button"
            className={textLinkStyles.link}
            aria-label={`${t.rest(rest)}: ${people.all(name)}`}
            onClick={showPeople}
          >
            {t.rest(rest)}
          </button>
        ) : (
          " "
        )}
      </p>
      <Foot
        list={list}
        name={name}
        deletable={!aboutPeople || nameHolds(name, busca ?? "")}
        onPeople={showPeople}
        onDelete={() => onDelete(list)}
      />
      {person && (
        <Suspense fallback={null}>
          <PersonDialog person={person} list={list} onClose={() => setPerson(null)} />
        </Suspense>
      )}
      {pessoas === list.id && (
        <Suspense fallback={null}>
          <ListDialog list={list} words={busca ?? ""} onClose={() => go({ pessoas: undefined })} />
        </Suspense>
      )}
    </article>
  );
}

type FootProps = ActionsProps & { deletable: boolean; onDelete: () => void };

function Foot({ list, name, deletable, onPeople, onDelete }: FootProps) {
  const { timeZone } = useMe();
  return (
    <footer>
      <Actions list={list} name={name} onPeople={onPeople} />
      <div className={styles.listEnd}>
        <span>{formatDate(list.createdAt, timeZone)}</span>
        <div>
          <DownloadButton
            small
            look="ghost"
            icon={Download}
            download
            href={address("/api/contact-lists/{id}/export", { params: { id: list.id } })}
            aria-label={`${t.exportList}: ${name}`}
          >
            {t.exportList}
          </DownloadButton>
          {deletable && (
            <Button
              look="quiet-danger"
              small
              icon={Trash2}
              aria-label={`${t.deleteList}: ${name}`}
              onClick={onDelete}
            >
              {t.deleteList}
            </Button>
          )}
        </div>
      </div>
    </footer>
  );
}

type ActionsProps = { list: ContactListCard; name: string; onPeople: () => void };

function Actions({ list, name, onPeople }: ActionsProps) {
  return (
    <div className={styles.listActions}>
      <Button small look="ghost" icon={Users} aria-label={`${t.seePeople}: ${name}`} onClick={onPeople}>
        {t.seePeople}
      </Button>
      <LinkButton
        small
        look="ghost"
        icon={Megaphone}
        to="/campaigns/new"
        search={{ lista: list.id }}
        aria-label={`${t.sendCampaign}: ${name}`}
      >
        {t.sendCampaign}
      </LinkButton>
    </div>
  );
}

export function ListCardsSkeleton() {
  return (
    <Skeleton className={styles.lists}>
      {["a", "b", "c"].map((card) => (
        <div key={card} className={clsx(cardStyles.card, layoutStyles.column, styles.list)}>
          <header>
            <Bone width="60%" height="14px" style={{ marginTop: 4 }} />
            <Bone width="30%" style={{ marginTop: 10 }} />
          </header>
          <ul>
            {["1", "2", "3"].map((line) => (
              <li key={line} style={{ paddingBlock: 11 }}>
                <Bone width="45%" />
                <Bone width="32%" />
              </li>
            ))}
          </ul>
          <p className={clsx(textStyles.fact, styles.more)}>
            <Bone width="30%" style={{ marginBlock: 3 }} />
          </p>
          <footer style={{ height: 81 }} />
        </div>
      ))}
    </Skeleton>
  );
}
