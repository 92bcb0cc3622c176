import { clsx } from "clsx";
import { Plus, RefreshCw, Server } from "lucide-react";
import { lazy, Suspense, useCallback, useEffect } from "react";
import type { Gateway, Instance } from "../../../contract/gateways.ts";
import { instancesText as t } from "../../messages/instances.ts";
import { Button } from "../../ui/button.tsx";
import { EmptyState } from "../../ui/empty-state.tsx";
import { ErrorNotice, QueryError } from "../../ui/error-notice.tsx";
import layoutStyles from "../../ui/layout.module.css";
import { Page } from "../../ui/page.tsx";
import textStyles from "../../ui/text.module.css";
import { toastFailed } from "../../ui/toast.tsx";
import { useRestoredDialog } from "../../ui/use-draft.ts";
import { useRefetchError } from "../../ui/use-refetch-error.ts";
import { GatewayCard, GatewayCardSkeleton } from "./gateway-card.tsx";
import { InstanceCards, InstanceCardsSkeleton } from "./instance-cards.tsx";
import { shownName } from "./instance-words.ts";
import { LicenseLink } from "./license-link.tsx";
import type { Open } from "./open-dialog.tsx";
import { useGateways, useInstances } from "./use-gateways.ts";

const OpenDialog = lazy(async () => ({ default: (await import("./open-dialog.tsx")).OpenDialog }));

export function InstancesPage() {
  const gateways = useGateways();
  const { all, chosen } = gateways;
  const instances = useInstances(chosen);
  const [wanted, setOpen] = useRestoredDialog<Open>("instances");
  const open = wanted && asItIs(wanted, gateways, instances);
  const gone = open === null ? wanted : null;
  useEffect(() => {
    if (!gone) return;
    // A name may return: the dialog must not open by itself.
    setOpen(null);
    const name = lostWith(gone);
    if (name !== null) toastFailed(t.gone(name));
  }, [gone, setOpen]);
  const close = useCallback(() => setOpen(null), [setOpen]);
  const shown = instances.isError ? [] : (instances.data ?? []);
  const primary = chosen !== null && (shown.length > 0 || instances.isPending);
  return (
    <Page
      title={t.title}
      fact={factOf(gateways, instances)}
      actions={
        chosen && (
          <>
            <Button
              icon={RefreshCw}
              busy={instances.isFetching && !instances.isPending}
              onClick={() => instances.refetch()}
            >
              {t.refresh}
            </Button>
            <Button
              look={primary ? "primary" : "secondary"}
              icon={Plus}
              onClick={() => setOpen({ what: "create" })}
            >
              {t.newInstance}
            </Button>
          </>
        )
      }
    >
      <Content gateways={gateways} instances={instances} onOpen={setOpen} />
      <p className={clsx(textStyles.fact, layoutStyles.top6)}>{t.uses}</p>
      {open && (
        <Suspense fallback={null}>
          <OpenDialog
            open={open}
            gateways={all}
            chosen={chosen}
            instances={instances.isSuccess ? instances.data : null}
            onChoose={gateways.choose}
            onOpen={setOpen}
            onClose={close}
          />
        </Suspense>
      )}
    </Page>
  );
}

/** Text if the dialog's instance disappears; null if it only asked to remove it. */
function lostWith(open: Open): string | null {
  if (open.what === "delete" || open.what === "forget") return null;
  if ("instance" in open) return shownName(open.instance);
  return "gateway" in open ? open.gateway.name : null;
}

/** The dialog with current data; null if another window removed it. */
function asItIs(
  open: Open,
  gateways: ReturnType<typeof useGateways>,
  instances: ReturnType<typeof useInstances>,
): Open | null {
  const about = "instance" in open ? open.instance.gatewayId : "gateway" in open ? open.gateway.id : null;
  if (about === null || !gateways.isSuccess) return open;
  const gateway = gateways.all.find(({ id }) => id === about);
  if (!gateway) return null;
  if (open.what === "forget") return { ...open, gateway };
  // Edits are compared with the values at opening.
  if (open.what === "edit") return open;
  // The QR dialog follows the connection, which exists before a slow server's list.
  if (!("instance" in open) || open.what === "qr") return open;
  if (!instances.isSuccess || gateways.chosen?.id !== about) return open;
  const { name, connectionId } = open.instance;
  const instance = instances.data.find((each) => each.name === name);
  // The same name may be another instance by now.
  const same = connectionId === null || connectionId === instance?.connectionId;
  return instance && same ? { ...open, instance } : null;
}

function factOf(gateways: ReturnType<typeof useGateways>, instances: ReturnType<typeof useInstances>) {
  if (gateways.isSuccess && gateways.all.length === 0) return t.factEmpty;
  if (!instances.isSuccess) return <>&nbsp;</>;
  return t.fact(instances.data.length, instances.data.filter(isOpen).length);
}

const isOpen = ({ status }: Instance) => status === "open";

type ContentProps = {
  gateways: ReturnType<typeof useGateways>;
  instances: ReturnType<typeof useInstances>;
  onOpen: (open: Open) => void;
};

function Content({ gateways, instances, onOpen }: ContentProps) {
  const old = useRefetchError(gateways);
  if (gateways.isPending)
    return (
      <>
        <GatewayCardSkeleton />
        <InstanceCardsSkeleton />
      </>
    );
  const errorNotice = <QueryError title={t.gateway.failed} query={gateways} />;
  if (gateways.isLoadingError || (old && !gateways.chosen)) return errorNotice;
  if (!gateways.chosen)
    return (
      <EmptyState
        icon={Server}
        title={t.gateway.none}
        text={gateways.providedClosed ? t.gateway.noneClosed : t.gateway.noneText}
      >
        <Button look="primary" icon={Plus} onClick={() => onOpen({ what: "register" })}>
          {t.gateway.register}
        </Button>
      </EmptyState>
    );
  return (
    <>
      {old && <div className={layoutStyles.below4}>{errorNotice}</div>}
      <GatewayCard
        gateways={gateways.all}
        chosen={gateways.chosen}
        onChoose={gateways.choose}
        onOpen={onOpen}
      />
      <Instances gateway={gateways.chosen} query={instances} onOpen={onOpen} />
    </>
  );
}

type InstancesProps = { gateway: Gateway; query: ContentProps["instances"]; onOpen: ContentProps["onOpen"] };

function Instances({ gateway, query, onOpen }: InstancesProps) {
  if (query.isPending) return <InstanceCardsSkeleton />;
  if (query.isError)
    return (
      <ErrorNotice
        title={t.list.failed}
        error={query.error}
        onRetry={() => query.refetch()}
        busy={query.isFetching}
      >
        <LicenseLink error={query.error} />
      </ErrorNotice>
    );
  if (query.data.length === 0)
    return (
      <EmptyState icon={Server} title={t.empty} text={gateway.provided ? t.emptyProvided : t.emptyText}>
        <Button look="primary" icon={Plus} onClick={() => onOpen({ what: "create" })}>
          {t.newInstance}
        </Button>
      </EmptyState>
    );
  return <InstanceCards instances={query.data} onOpen={onOpen} />;
}
