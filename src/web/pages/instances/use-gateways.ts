import { queryOptions, type UseQueryResult, useQuery, useQueryClient } from "@tanstack/react-query";
import { useNavigate, useSearch } from "@tanstack/react-router";
import { useEffect, useRef } from "react";
import type { Gateway, Instance } from "../../../contract/gateways.ts";
import { api } from "../../api/call.ts";
import { gatewaysQuery } from "../../api/gateways.ts";

/** Gateway figures change without an event. */
const REFRESH_MS = 60_000;

const instancesQuery = (id: number) =>
  queryOptions({
    queryKey: ["connections", "instances", id],
    queryFn: async ({ signal }) =>
      (await api("GET /api/gateways/{id}/instances", { params: { id }, signal })).instances,
  });

export function useGateways() {
  const query = useQuery(gatewaysQuery);
  const { evolution } = useSearch({ from: "/shell/instances" });
  const navigate = useNavigate({ from: "/instances" });
  const { gateways: all = [], providedClosed = false } = query.data ?? {};
  return {
    ...query,
    all,
    /** The operator's servers are closed to this account. */
    providedClosed,
    chosen: all.find(({ id }) => id === evolution) ?? all[0] ?? null,
    choose: (id: number) =>
      void navigate({ search: (before) => ({ ...before, evolution: id }), state: true, replace: true }),
  };
}

export function useInstances(gateway: Gateway | null) {
  const query = useQuery({
    ...instancesQuery(gateway?.id ?? 0),
    enabled: gateway !== null,
    refetchInterval: REFRESH_MS,
  });
  useAgreement(query, gateway);
  return query;
}

/** A newer list result overrides the server's last test. */
function useAgreement(query: UseQueryResult, gateway: Gateway | null) {
  const queries = useQueryClient();
  const answered = query.isError ? query.errorUpdatedAt : query.dataUpdatedAt;
  const state = gateway?.check?.state;
  // The list brought another error than the one shown.
  const differs = query.isError || (query.isSuccess && state !== undefined && state !== "ok");
  const seen = useRef(0);
  useEffect(() => {
    if (!differs || answered === seen.current) return;
    seen.current = answered;
    void queries.invalidateQueries(gatewaysQuery);
  }, [differs, answered, queries]);
}

export function useKnown() {
  const queries = useQueryClient();
  const changeGateways = (change: (known: Gateway[]) => Gateway[]) =>
    queries.setQueryData(
      gatewaysQuery.queryKey,
      (known) => known && { ...known, gateways: change(known.gateways) },
    );
  return {
    gateway: (gateway: Gateway) => changeGateways((known) => put(known, gateway, ({ id }) => id)),
    instance: (instance: Instance) =>
      queries.setQueryData(
        instancesQuery(instance.gatewayId).queryKey,
        (known) => known && put(known, instance, ({ name }) => name),
      ),
    noGateway: (gateway: Gateway) => changeGateways((known) => known.filter(({ id }) => id !== gateway.id)),
    noInstance: ({ gatewayId, name }: Instance) =>
      queries.setQueryData(instancesQuery(gatewayId).queryKey, (known) =>
        known?.filter((each) => each.name !== name),
      ),
    /** Not awaited: a server may be slow. */
    refresh: () => void queries.invalidateQueries({ queryKey: ["connections"] }),
  };
}

function put<T>(known: T[], row: T, keyOf: (row: T) => unknown): T[] {
  const at = known.findIndex((each) => keyOf(each) === keyOf(row));
  return at < 0 ? [...known, row] : known.with(at, row);
}
