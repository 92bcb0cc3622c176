import { Users } from "lucide-react";
import { lazy, Suspense, useState } from "react";
import type { Campaign } from "../../../contract/campaigns.ts";
import { listName } from "../../lib/list-name.ts";
import type { Known } from "../../library/use-known.ts";
import { audienceText } from "../../messages/audience.ts";
import { commonText } from "../../messages/common.ts";
import { formatNumber } from "../../messages/format.ts";
import { newCampaignText as t } from "../../messages/new-campaign.ts";
import { SectionCard } from "../../ui/card.tsx";
import { SmallError } from "../../ui/error-notice.tsx";
import { Hint } from "../../ui/field.tsx";
import { Icon } from "../../ui/icon.tsx";
import { Select } from "../../ui/inputs.tsx";
import layoutStyles from "../../ui/layout.module.css";
import noticeStyles from "../../ui/notice.module.css";
import { Notice } from "../../ui/notice.tsx";
import textLinkStyles from "../../ui/text-link.module.css";
import { TextLink } from "../../ui/text-link.tsx";
import { AudienceActions } from "./audience-actions.tsx";
import { isPlain, sourcesOf } from "./audience-edit.ts";
import { type Line, takesMore } from "./audience-lines.ts";
import { PlainAudience } from "./plain-audience.tsx";
import type { useLists } from "./use-audience.ts";
import type { CountedAudience } from "./use-audience-count.ts";
import type { CampaignFormState } from "./use-campaign-form.ts";

const Ledger = lazy(async () => ({ default: (await import("./ledger.tsx")).Ledger }));
const NamesDialog = lazy(async () => ({ default: (await import("./names-dialog.tsx")).NamesDialog }));

type Props = {
  form: CampaignFormState;
  lists: ReturnType<typeof useLists>;
  audience: CountedAudience;
  used: readonly Known[];
  source: Campaign | null;
  editing: boolean;
};

export function ContactsSection({ form, lists, audience, used, source, editing }: Props) {
  const [seen, setSeen] = useState<Line | null>(null);
  const { list } = form.values;
  const plain = isPlain(form.values);
  const sources = sourcesOf(form.values);
  const chooses = plain || sources.lists.length + sources.segments.length === 0;
  const chosen = lists.data?.find(({ id }) => String(id) === list);
  const isLedger = !plain || takesMore(audience.count);
  return (
    <SectionCard title={t.contacts} {...(isLedger ? { explained: audienceText.explained } : {})}>
      {chooses && <ListChoice form={form} lists={lists} source={source} />}
      {lists.data?.length === 0 && <NoLists />}
      <div className={layoutStyles.stack3} tabIndex={-1} data-ui="audience">
        {isLedger ? (
          <Suspense>
            <Ledger form={form} audience={audience} used={used} onSee={setSeen} fixed={plain} />
          </Suspense>
        ) : (
          chosen && chosen.count > 0 && <PlainAudience list={chosen} audience={audience} />
        )}
        {!chooses && <Hint error={form.error("list")} />}
        <Hint error={form.error("audience")} />
        <Again source={source} list={list} without={form.values.audience.without.campaignIds} />
      </div>
      {(!plain || list !== "" || lists.data?.length !== 0) && (
        <AudienceActions form={form} own={editing && source ? source.id : null} />
      )}
      {seen && audience.question && (
        <Suspense>
          <NamesDialog line={seen} question={audience.question} onClose={() => setSeen(null)} />
        </Suspense>
      )}
    </SectionCard>
  );
}

function ListChoice({ form, lists, source }: Pick<Props, "form" | "lists" | "source">) {
  const { list } = form.values;
  const chosen = lists.data?.find(({ id }) => String(id) === list);
  const gone =
    lists.data && !chosen && source?.listName && list === String(source.listId ?? "")
      ? source.listName
      : null;
  const lost = lists.data && !chosen && !gone && list !== "" ? t.chosenListGone : undefined;
  const error = form.error("list") ?? lost ?? (chosen?.count === 0 ? t.listEmpty : undefined);
  if (lists.isError && !lists.data)
    return (
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
    );
  return (
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
  );
}

type AgainProps = { source: Campaign | null; list: string; without: readonly number[] };

function Again({ source, list, without }: AgainProps) {
  if (source?.status !== "cancelled" || String(source.listId) !== list || source.counts.sent === 0)
    return null;
  if (without.includes(source.id)) return null;
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
