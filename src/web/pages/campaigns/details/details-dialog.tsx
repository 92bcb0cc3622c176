import { useQuery, useQueryClient } from "@tanstack/react-query";
import { getRouteApi, useLocation } from "@tanstack/react-router";
import { clsx } from "clsx";
import { Download } from "lucide-react";
import { useCallback, useState } from "react";
import type { Campaign } from "../../../../contract/campaigns.ts";
import type { BreakerFailure } from "../../../../domain/breaker.ts";
import type { ShownDelivery } from "../../../../domain/campaign.ts";
import { ApiError } from "../../../api/api-error.ts";
import { address } from "../../../api/call.ts";
import { campaignQuery } from "../../../api/campaigns.ts";
import { usePollingWhenDown } from "../../../api/events.ts";
import { useMe } from "../../../api/me.ts";
import { SaveAsTemplate } from "../../../library/library-buttons.tsx";
import { detailsText as t } from "../../../messages/details.ts";
import { formatDateTime } from "../../../messages/format.ts";
import { Button } from "../../../ui/button.tsx";
import chipStyles from "../../../ui/chip.module.css";
import { Dialog } from "../../../ui/dialog.tsx";
import { QueryError, SmallError } from "../../../ui/error-notice.tsx";
import layoutStyles from "../../../ui/layout.module.css";
import { DownloadButton } from "../../../ui/link-button.tsx";
import skeletonStyles from "../../../ui/skeleton.module.css";
import { Bone, Skeleton } from "../../../ui/skeleton.tsx";
import { campaignOnCard, useAddress } from "../use-campaigns.ts";
import { Deliveries } from "./deliveries.tsx";
import styles from "./details.module.css";

const route = getRouteApi("/shell/campaigns");

const isGone = (error: unknown) => error instanceof ApiError && error.code === "not_found";

export function DetailsFromAddress() {
  const { detalhes, status, falha } = route.useSearch();
  const go = useAddress();
  const close = useCallback(() => go({ detalhes: undefined, status: undefined, falha: undefined }), [go]);
  const setStatus = useCallback(
    (next: ShownDelivery | undefined) => go({ status: next, falha: undefined }),
    [go],
  );
  if (!detalhes) return null;
  return (
    <DetailsDialog
      key={detalhes}
      id={detalhes}
      status={status}
      failure={falha}
      setStatus={setStatus}
      close={close}
    />
  );
}

type Props = {
  id: number;
  status: ShownDelivery | undefined;
  failure: BreakerFailure | undefined;
  setStatus: (status: ShownDelivery | undefined) => void;
  close: () => void;
};

function DetailsDialog({ id, status, failure, setStatus, close }: Props) {
  // Fixed at opening: on the way back the location already belongs to the previous screen.
  const [openedFromOtherScreen] = useState(useLocation().state.openedFromOtherScreen ?? false);
  const { timeZone } = useMe();
  const [search, setSearch] = useState("");
  const queries = useQueryClient();
  const query = useQuery({
    ...campaignQuery(id),
    placeholderData: () => campaignOnCard(queries, id),
    refetchInterval: usePollingWhenDown(5_000),
  });
  const gone = isGone(query.error);
  // A deleted campaign's data is useless: nothing can be done with it.
  const campaign = gone ? undefined : query.data;
  return (
    <Dialog
      title={t.title}
      size="wide"
      context={query.data ? t.context(query.data.name, formatDateTime(query.data.date, timeZone)) : "\u00a0"}
      onClose={close}
      openedFromOtherScreen={openedFromOtherScreen}
      foot={<Foot campaign={campaign} close={close} />}
    >
      <div className={styles.details}>
        {query.isError && (
          <div className={campaign ? styles.detailsGap : styles.detailsFault}>
            {gone ? (
              <SmallError title={t.gone} text={t.goneText} />
            ) : (
              <QueryError title={t.campaignFailed} query={query} />
            )}
          </div>
        )}
        {campaign && (
          <Deliveries
            campaign={campaign}
            wanted={{ status, failure, search }}
            setStatus={setStatus}
            setSearch={setSearch}
          />
        )}
        {query.isPending && <Coming failures={status === "error"} />}
      </div>
    </Dialog>
  );
}

function Foot({ campaign, close }: { campaign: Campaign | undefined; close: () => void }) {
  return (
    <>
      {campaign?.started && (
        <DownloadButton
          look="ghost"
          icon={Download}
          download
          href={address("/api/campaigns/{id}/deliveries.csv", { params: { id: campaign.id } })}
        >
          {t.export}
        </DownloadButton>
      )}
      {campaign && (campaign.text !== "" || campaign.attachment) && (
        <SaveAsTemplate
          look="ghost"
          name={campaign.name}
          text={campaign.text}
          attachment={campaign.attachment}
        />
      )}
      <Button onClick={close}>{t.close}</Button>
    </>
  );
}

/** Same height as the content, or a bottom sheet would move under the finger. */
function Coming({ failures }: { failures: boolean }) {
  return (
    <Skeleton>
      <div className={clsx(layoutStyles.stack3, styles.detailsTools)}>
        <div className={clsx(layoutStyles.row3, styles.detailsFilters)}>
          <div className={clsx(layoutStyles.cluster, styles.filters)}>
            {[1, 2, 3, 4, 5].map((each) => (
              <span key={each} className={chipStyles.chip}>
                <Bone width="60px" />
              </span>
            ))}
          </div>
          <search>
            <Bone height="var(--control)" />
          </search>
        </div>
        {failures && <span className={clsx(skeletonStyles.sk, styles.failuresComing)} data-ui="sk" />}
      </div>
      <div className={styles.detailsFault}>
        {[1, 2, 3, 4, 5, 6].map((each) => (
          <Bone key={each} width={`${92 - each * 4}%`} style={{ marginBottom: 30 }} />
        ))}
      </div>
    </Skeleton>
  );
}
