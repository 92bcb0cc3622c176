import { keepPreviousData, queryOptions } from "@tanstack/react-query";
import type { AudienceQuestion, ForecastQuestion, SegmentRule } from "../../contract/audiences.ts";
import { CHECK_MS } from "../../domain/number-checks.ts";
import { api } from "./call.ts";

export const segmentsQuery = queryOptions({
  queryKey: ["contacts", "segments"],
  queryFn: async ({ signal }) => (await api("GET /api/segments", { signal })).items,
});

export const segmentCountQuery = (rule: SegmentRule | null) =>
  queryOptions({
    queryKey: ["contacts", "segment-count", rule],
    queryFn: ({ signal }) =>
      rule === null ? null : api("POST /api/segments/count", { body: { rule }, signal }),
    enabled: rule !== null,
    placeholderData: keepPreviousData,
  });

export const audienceCountQuery = (question: AudienceQuestion | null) =>
  queryOptions({
    queryKey: ["contacts", "audience", question],
    queryFn: ({ signal }) =>
      question === null ? null : api("POST /api/audience/count", { body: question, signal }),
    enabled: question !== null,
    placeholderData: keepPreviousData,
  });

export const forecastQuery = (asked: ForecastQuestion | null) =>
  queryOptions({
    queryKey: ["contacts", "forecast", asked],
    queryFn: ({ signal }) =>
      asked === null ? null : api("POST /api/audience/forecast", { body: asked, signal }),
    enabled: asked !== null,
    placeholderData: keepPreviousData,
  });

export const numberChecksQuery = (question: AudienceQuestion | null) =>
  queryOptions({
    queryKey: ["contacts", "number-checks", question],
    queryFn: ({ signal }) =>
      question === null ? null : api("POST /api/audience/number-checks/count", { body: question, signal }),
    enabled: question !== null,
    refetchInterval: ({ state }) => (state.data && state.data.waiting > 0 ? CHECK_MS : false),
  });

export const audienceNamesQuery = (question: AudienceQuestion, line: string) =>
  queryOptions({
    queryKey: ["contacts", "audience-names", question, line],
    queryFn: ({ signal }) => api("POST /api/audience/names", { body: { ...question, line }, signal }),
  });

export const campaignNameQuery = (id: number) =>
  queryOptions({
    queryKey: ["campaign-name", id],
    queryFn: async ({ signal }) => (await api("GET /api/campaigns/{id}", { params: { id }, signal })).name,
  });
