import { clsx } from "clsx";
import { Users, UserX } from "lucide-react";
import type { Campaign } from "../../../contract/campaigns.ts";
import { formatPhone } from "../../../domain/phone-written.ts";
import { listName } from "../../lib/list-name.ts";
import { commonText } from "../../messages/common.ts";
import { formatNumber } from "../../messages/format.ts";
import { leavingRequestsText } from "../../messages/leaving-requests.ts";
import { newCampaignText as t } from "../../messages/new-campaign.ts";
import { Badge } from "../../ui/badge.tsx";
import { SectionCard } from "../../ui/card.tsx";
import { SmallError } from "../../ui/error-notice.tsx";
import { Icon } from "../../ui/icon.tsx";
import { Select } from "../../ui/inputs.tsx";
import layoutStyles from "../../ui/layout.module.css";
import noticeStyles from "../../ui/notice.module.css";
import { Notice } from "../../ui/notice.tsx";
import { Bone } from "../../ui/skeleton.tsx";
import textStyles from "../../ui/text.module.css";
import textLinkStyles from "../../ui/text-link.module.css";
import { TextLink } from "../../ui/text-link.tsx";
import { CutLine } from "../../ui/tooltip.tsx";
import styles from "./new-campaign.module.css";
import type { useFirstContacts, useLists } from "./use-audience.ts";
import type { CampaignFormState } from "./use-campaign-form.ts";

const SHOWN = 5;

type Props = {
  form: CampaignFormState;
  lists: ReturnType<typeof useLists>;
  first: ReturnType<typeof useFirstContacts>;
  left: number | null;
  source: Campaign | null;
};

export function ContactsSection({ form, lists, first, left, source }: Props) {
  const { list } = form.values;
  const chosen = lists.data?.find(({ id }) => String(id) === list);
  const gone =
    lists.data && !chosen && source?.listName && list === String(source.listId ?? "")
      ? source.listName
      : null;
  const lost = lists.data && !chosen && !gone && list !== "" ? t.chosenListGone : undefined;
  const error = form.error("list") ?? lost ?? (chosen?.count === 0 ? t.listEmpty : undefined);
  return (
    <SectionCard title={t.contacts}>
      {lists.isError && !lists.data ? (
        <SmallError title={t.listsFailed}>
          <button
            type="button"
            className={textLinkStyles.link}
            data-ui="link"
            onClick={() => void lists.refetch()}
          >
            {commonText.retry}
          </button>
        </SmallError>
      ) : (
        <Select
          label={t.list}
          value={chosen ? list : ""}
          disabled={lists.isPending}
          onChange={({ target }) => form.set("list", target.value)}
          error={error}
          hint={gone ? t.listGone(gone) : undefined}
          options={[
            { value: "", label: lists.isPending ? commonText.loading : t.chooseList },
            ...(lists.data ?? []).map((each) => ({
              value: String(each.id),
              label: t.listOption(listName(each), formatNumber(each.count)),
            })),
          ]}
        />
      )}
      {lists.data?.length === 0 && <NoLists />}
      {chosen && chosen.count > 0 && (
        <>
          <Audience count={chosen.count} first={first} left={left} />
          <Again source={source} list={list} />
        </>
      )}
    </SectionCard>
  );
}

function Again({ source, list }: { source: Campaign | null; list: string }) {
  if (source?.status !== "cancelled" || String(source.listId) !== list || source.counts.sent === 0)
    return null;
  return <Notice tone="warning">{t.again(source.name, source.counts.sent)}</Notice>;
}

function NoLists() {
  return (
    <div className={noticeStyles.notice} data-ui="notice" data-tone="info">
      <Icon of={Users} />
      <p>
        <strong>{t.noLists}</strong> {t.noListsNext} <TextLink to="/contacts">{t.goToContacts}</TextLink>
      </p>
    </div>
  );
}

function Audience({ count, first, left }: { count: number } & Pick<Props, "first" | "left">) {
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
  const reached = left === null ? null : count - left;
  const coming = Array.from({ length: Math.min(5, count) }, (_, place) => place);
  return (
    <div className={clsx(layoutStyles.frame, styles.audience)}>
      <div className={clsx(textStyles.aside, styles.head)}>
        {reached === null ? (
          <Bone width="50%" style={{ marginBlock: 4 }} />
        ) : (
          <span>
            <strong>
              {formatNumber(reached)} {reached === 1 ? t.person : t.people}
            </strong>{" "}
            {reached === 1 ? t.receiveOne : t.receive}
          </span>
        )}
        {count > 5 && <span>{t.firstFive}</span>}
      </div>
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
      {left !== null && left > 0 && <p className={clsx(textStyles.aside, styles.left)}>{t.left(left)}</p>}
    </div>
  );
}
