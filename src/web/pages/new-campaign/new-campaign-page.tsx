import { useQuery } from "@tanstack/react-query";
import { getRouteApi } from "@tanstack/react-router";
import { clsx } from "clsx";
import { useState } from "react";
import type { Campaign } from "../../../contract/campaigns.ts";
import { ApiError } from "../../api/api-error.ts";
import { api } from "../../api/call.ts";
import { useMe } from "../../api/me.ts";
import { draftPlace, keptPlace } from "../../lib/kept-place.ts";
import { formatDateTime, formatSentence } from "../../messages/format.ts";
import { newCampaignText as t } from "../../messages/new-campaign.ts";
import { QueryError, SmallError } from "../../ui/error-notice.tsx";
import layoutStyles from "../../ui/layout.module.css";
import { LinkButton } from "../../ui/link-button.tsx";
import pageStyles from "../../ui/page.module.css";
import { Page } from "../../ui/page.tsx";
import { CampaignFormView } from "./campaign-form-view.tsx";
import { EMPTY_FORM, formOf } from "./form.ts";
import { FormSkeleton } from "./form-skeleton.tsx";

const route = getRouteApi("/shell/campaigns/new");

export function NewCampaignPage() {
  const { reutilizar, rascunho, lista } = route.useSearch();
  const id = rascunho ?? reutilizar;
  return id === undefined ? (
    <Form key={`new${lista ?? ""}`} source={null} copy={false} />
  ) : (
    <FromStored key={`${rascunho ? "draft" : "copy"}${id}`} id={id} copy={rascunho === undefined} />
  );
}

function FromStored({ id, copy }: { id: number; copy: boolean }) {
  const query = useQuery({
    // Not under `campaigns`: a refetch must not overwrite what the user types.
    queryKey: ["campaign-form", id],
    queryFn: ({ signal }) => api("GET /api/campaigns/{id}", { params: { id }, signal }),
    staleTime: Number.POSITIVE_INFINITY,
    gcTime: 0,
  });
  if (query.data) return <Form source={query.data} copy={copy} />;
  if (query.error instanceof ApiError && query.error.status === 404)
    return <NoForm title={t.gone} text={t.goneText} />;
  return (
    <Page title={copy ? t.title : t.draftTitle} fact=" ">
      {query.isError ? <QueryError title={t.loadFailed} query={query} /> : <FormSkeleton />}
    </Page>
  );
}

function Form({ source, copy }: { source: Campaign | null; copy: boolean }) {
  const me = useMe();
  const { teste = false, lista } = route.useSearch();
  const [initial] = useState(() => (source ? formOf(source, copy) : emptyFormOf(lista)));
  if (source && !copy && !source.actions.includes("edit")) return <NotEditable source={source} />;
  const editing = source !== null && !copy;
  const zone = editing && source.schedule.kind === "at" ? source.schedule.zone : me.timeZone;
  return (
    <CampaignFormView
      initial={initial}
      source={source}
      editing={editing}
      zone={zone}
      place={editing ? draftPlace(me.id, source.id) : keptPlace(me.id, newForm(source, lista))}
      trying={teste}
      base={source && !copy ? source.updatedAt : ""}
      {...titleOf(source, copy, me.timeZone)}
    />
  );
}

const emptyFormOf = (lista: number | undefined) =>
  lista === undefined ? EMPTY_FORM : { ...EMPTY_FORM, list: String(lista) };

/** A separate draft per preselected list: another draft must not change the recipients. */
function newForm(source: Campaign | null, lista: number | undefined): string {
  if (source) return `copia-${source.id}`;
  return lista === undefined ? "nova" : `lista-${lista}`;
}

function titleOf(source: Campaign | null, copy: boolean, zone: string): { title: string; fact: string } {
  if (!source) return { title: t.title, fact: t.fact };
  if (copy) return { title: t.title, fact: t.reuseFact(source.name) };
  if (source.status === "scheduled" && source.scheduledAt && source.schedule.kind === "at")
    return {
      title: t.scheduledTitle,
      fact: t.scheduledFact(formatSentence(source.scheduledAt, source.schedule.zone)),
    };
  return { title: t.draftTitle, fact: t.draftFact(formatDateTime(source.updatedAt, zone)) };
}

const NotEditable = ({ source }: { source: Campaign }) => (
  <NoForm title={source.started ? t.started : t.notEditable} text={t.startedText} />
);

function NoForm({ title, text }: { title: string; text: string }) {
  return (
    <Page title={t.title}>
      <SmallError title={title} text={text}>
        <div className={clsx(pageStyles.actions, layoutStyles.top3)} data-ui="actions">
          <LinkButton small to="/campaigns">
            {t.seeCampaigns}
          </LinkButton>
        </div>
      </SmallError>
    </Page>
  );
}
