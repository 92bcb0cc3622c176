import { clsx } from "clsx";
import { ArrowLeft } from "lucide-react";
import { type FormEvent, lazy, Suspense, useId } from "react";
import type { Campaign } from "../../../contract/campaigns.ts";
import { ApiError, errorTextOf } from "../../api/api-error.ts";
import { useKnown } from "../../library/use-known.ts";
import { newCampaignText as t } from "../../messages/new-campaign.ts";
import { Button } from "../../ui/button.tsx";
import { SmallError } from "../../ui/error-notice.tsx";
import { Icon } from "../../ui/icon.tsx";
import layoutStyles from "../../ui/layout.module.css";
import { LinkButton } from "../../ui/link-button.tsx";
import { Notice } from "../../ui/notice.tsx";
import pageStyles from "../../ui/page.module.css";
import { Page } from "../../ui/page.tsx";
import textLinkStyles from "../../ui/text-link.module.css";
import { BasicsSection } from "./basics-section.tsx";
import { ContactsSection } from "./contacts-section.tsx";
import type { CampaignForm, Intent } from "./form.ts";
import { MessageSection } from "./message-section.tsx";
import styles from "./new-campaign.module.css";
import { Preview } from "./preview.tsx";
import { ScheduleSection } from "./schedule-section.tsx";
import { useLists } from "./use-audience.ts";
import { type CountedAudience, useAudienceCount, useHasGone } from "./use-audience-count.ts";
import { type CampaignFormState, useCampaignForm } from "./use-campaign-form.ts";
import { useEstimate } from "./use-estimate.ts";
import { useLastLook } from "./use-last-look.ts";
import { useRiskNotice } from "./use-risk-notice.tsx";
import { useSaveCampaign } from "./use-save-campaign.ts";
import { usedFields, variablesOf } from "./use-variables.ts";
import { errorsOf } from "./validate.ts";

const LastLook = lazy(async () => ({ default: (await import("./last-look.tsx")).LastLook }));

type Props = {
  initial: CampaignForm;
  source: Campaign | null;
  editing: boolean;
  zone: string;
  place: string;
  base: string;
  title: string;
  fact: string;
  trying: boolean;
};

export function CampaignFormView(props: Props) {
  const { initial, source, editing, zone, place, base, title, fact, trying } = props;
  const formId = useId();
  const save = useSaveCampaign(editing && source ? source.id : null, zone);
  const risk = useRiskNotice();
  const look = useLastLook();
  const confirm = async () => (await risk.ask()) && look.ask();
  const known = useKnown();
  const fields = known.map(({ key }) => key);
  const hasGone = useHasGone();
  const check = (now: CampaignForm, intent: Intent) =>
    errorsOf(now, intent, zone, new Date(), fields, hasGone(now));
  const form = useCampaignForm({ initial, zone, place, base, check, save, confirm });
  const { values } = form;
  const lists = useLists(values.list);
  const used = usedFields(values, known);
  const audience = useAudienceCount(values, used, lists);
  const variables = variablesOf(values, known, audience.count);
  const people = audience.count?.gets ?? null;
  const contacts = audience.count?.items ?? [];
  const submit = (event: FormEvent) => {
    event.preventDefault();
    form.send("create");
  };
  return (
    <>
      <Page title={title} fact={fact}>
        {form.recovered && <Recovered form={form} />}
        <div className={styles.compose}>
          <form ref={form.form} id={formId} className={layoutStyles.stack4} noValidate onSubmit={submit}>
            <BasicsSection form={form} />
            <ContactsSection
              form={form}
              lists={lists}
              audience={audience}
              used={used}
              source={source}
              editing={editing}
            />
            <MessageSection form={form} variables={variables} />
            <ScheduleSection form={form} audience={audience} />
            {form.submitError !== null && <Failed form={form} source={source} />}
          </form>
          <Preview form={form} contacts={contacts} people={people} variables={variables} trying={trying} />
        </div>
      </Page>
      <Bar
        form={form}
        formId={formId}
        audience={audience}
        scheduled={editing && source?.status === "scheduled"}
      />
      {risk.dialog}
      {look.asked && (
        <Suspense>
          <LastLook
            form={form}
            audience={audience}
            used={used}
            variables={variables}
            uncounted={audience.error !== null || (lists.isError && !lists.data)}
            onEnd={look.end}
          />
        </Suspense>
      )}
    </>
  );
}

type BarProps = {
  form: CampaignFormState;
  formId: string;
  audience: CountedAudience;
  scheduled: boolean;
};

function Bar({ form, formId, audience, scheduled }: BarProps) {
  const people = audience.count?.gets ?? null;
  const estimate = useEstimate(form, audience);
  return (
    <section className={styles.formBar} data-ui="form-bar" aria-label={t.bar}>
      <div className={clsx(layoutStyles.row, styles.inner)}>
        <LinkButton look="ghost" to="/campaigns" className={styles.leave}>
          <Icon of={ArrowLeft} />
          <span className={layoutStyles.readOut}>{t.back}</span>
        </LinkButton>
        {people !== null && (
          <p className={styles.barFact}>
            <b>{t.barPeople(people)}</b>
            {estimate && <span>{estimate.course}</span>}
          </p>
        )}
        <Button
          className={styles.save}
          busy={form.busy === "draft"}
          busyText={t.savingDraft}
          disabled={form.busy !== null}
          onClick={() => form.send("draft")}
        >
          {scheduled ? t.toDraft : t.saveDraft}
        </Button>
        <Button
          look="primary"
          type="submit"
          form={formId}
          busy={form.busy === "create"}
          busyText={t.creating}
          disabled={form.busy !== null}
        >
          {scheduled ? t.saveChanges : t.create}
        </Button>
      </div>
    </section>
  );
}

function Recovered({ form }: { form: CampaignFormState }) {
  return (
    <div className={layoutStyles.below4}>
      <Notice tone="info">
        <strong>{t.recovered}</strong>{" "}
        <button type="button" className={textLinkStyles.link} data-ui="link" onClick={form.discard}>
          {t.discard}
        </button>
      </Notice>
    </div>
  );
}

function Failed({ form, source }: { form: CampaignFormState; source: Campaign | null }) {
  const { submitError } = form;
  const code = submitError instanceof ApiError ? submitError.code : "";
  if (code === "campaign_changed" && source) return <Changed form={form} id={source.id} />;
  if (code === "idempotency_mismatch" || code === "campaign_not_editable")
    return (
      <SmallError
        title={code === "idempotency_mismatch" ? t.sentBefore : t.started}
        text={code === "idempotency_mismatch" ? t.sentBeforeText : t.startedText}
      >
        <div className={clsx(pageStyles.actions, layoutStyles.top3)} data-ui="actions">
          <LinkButton small to="/campaigns">
            {t.seeCampaigns}
          </LinkButton>
          {code === "idempotency_mismatch" && (
            <Button small disabled={form.busy !== null} onClick={form.sendAsNew}>
              {t.createAnother}
            </Button>
          )}
        </div>
      </SmallError>
    );
  return (
    <SmallError
      title={form.intent === "draft" ? t.draftFailed : t.failed}
      text={errorTextOf(submitError, "")}
    />
  );
}

/** Another window saved this campaign: both versions can be compared before one is lost. */
function Changed({ form, id }: { form: CampaignFormState; id: number }) {
  return (
    <SmallError title={t.changed} text={t.changedText}>
      <div className={clsx(pageStyles.actions, layoutStyles.top3)} data-ui="actions">
        <LinkButton small to="/campaigns/new" search={{ rascunho: id }} target="_blank">
          {t.seeSaved}
        </LinkButton>
        <Button small disabled={form.busy !== null} onClick={form.sendOver}>
          {t.saveAnyway}
        </Button>
      </div>
    </SmallError>
  );
}
