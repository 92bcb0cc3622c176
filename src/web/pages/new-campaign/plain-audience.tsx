import { clsx } from "clsx";
import { UserX } from "lucide-react";
import type { ContactListCard } from "../../../contract/contacts.ts";
import { formatPhone } from "../../../domain/phone-written.ts";
import { audienceText } from "../../messages/audience.ts";
import { commonText } from "../../messages/common.ts";
import { formatNumber } from "../../messages/format.ts";
import { leavingRequestsText } from "../../messages/leaving-requests.ts";
import { newCampaignText as t } from "../../messages/new-campaign.ts";
import { Badge } from "../../ui/badge.tsx";
import { QueryError, SmallError } from "../../ui/error-notice.tsx";
import layoutStyles from "../../ui/layout.module.css";
import { Bone } from "../../ui/skeleton.tsx";
import textStyles from "../../ui/text.module.css";
import textLinkStyles from "../../ui/text-link.module.css";
import { CutLine } from "../../ui/tooltip.tsx";
import { Counting } from "./counting.tsx";
import styles from "./new-campaign.module.css";
import { useFirstContacts } from "./use-audience.ts";
import type { CountedAudience } from "./use-audience-count.ts";

const SHOWN = 5;

type Props = { list: ContactListCard; audience: CountedAudience };

export function PlainAudience({ list, audience }: Props) {
  const first = useFirstContacts(String(list.id));
  if (audience.error) return <QueryError title={audienceText.failed} query={audience} />;
  if (first.isError && !first.data)
    return (
      <SmallError title={t.contactsFailed}>
        <button
          type="button"
          className={textLinkStyles.link}
          data-ui="link"
          onClick={() => void first.refetch()}
        >
          {commonText.retry}
        </button>
      </SmallError>
    );
  const { count } = audience;
  const left = count?.without.find(({ key }) => key === "opted_out")?.people ?? 0;
  return (
    <div className={clsx(layoutStyles.frame, styles.audience)}>
      <div className={clsx(textStyles.aside, styles.head)}>
        {count === undefined ? (
          <Bone width="50%" style={{ marginBlock: 4 }} />
        ) : (
          <span>
            <strong className={clsx(count.gets === 0 && textStyles.danger)}>
              {formatNumber(count.gets)} {count.gets === 1 ? t.person : t.people}
            </strong>{" "}
            {count.gets === 1 ? t.receiveOne : t.receive} <Counting audience={audience} />
          </span>
        )}
        {list.count > SHOWN && <span>{t.firstFive}</span>}
      </div>
      <FirstContacts first={first} count={list.count} />
      {left > 0 && <p className={clsx(textStyles.aside, styles.left)}>{t.left(left)}</p>}
    </div>
  );
}

function FirstContacts({ first, count }: { first: ReturnType<typeof useFirstContacts>; count: number }) {
  const coming = Array.from({ length: Math.min(SHOWN, count) }, (_, place) => place);
  return (
    <ul>
      {first.data
        ? first.data.items.slice(0, SHOWN).map((contact) => (
            <li key={contact.seq} className={contact.optedOut && styles.out}>
              <CutLine text={contact.name || t.nameless} />
              {contact.optedOut && (
                <Badge tone="quiet" icon={UserX} low>
                  {contact.asksToLeave ? leavingRequestsText.badge : t.leftOut}
                </Badge>
              )}
              <span className={styles.digits}>{formatPhone(contact.phone)}</span>
            </li>
          ))
        : coming.map((place) => (
            <li key={place}>
              <Bone width="38%" style={{ marginTop: 5 }} />
              <Bone width="28%" style={{ marginTop: 5 }} />
            </li>
          ))}
    </ul>
  );
}
