import { useQuery } from "@tanstack/react-query";
import { clsx } from "clsx";
import type { Instance } from "../../../contract/gateways.ts";
import { api } from "../../api/call.ts";
import { useMe } from "../../api/me.ts";
import { commonText } from "../../messages/common.ts";
import { formatDateTime } from "../../messages/format.ts";
import { instancesText } from "../../messages/instances.ts";
import { Button } from "../../ui/button.tsx";
import dialogStyles from "../../ui/dialog.module.css";
import { Dialog } from "../../ui/dialog.tsx";
import { QueryError } from "../../ui/error-notice.tsx";
import layoutStyles from "../../ui/layout.module.css";
import { ScrollRegion } from "../../ui/scroll-region.tsx";
import { Bone, Skeleton } from "../../ui/skeleton.tsx";
import { shownName } from "./instance-words.ts";
import styles from "./instances.module.css";

const t = instancesText.odd;

export function UnrecognizedDialog({ instance, onClose }: { instance: Instance; onClose: () => void }) {
  const { timeZone } = useMe();
  const { gatewayId: id, name } = instance;
  const query = useQuery({
    queryKey: ["connections", "oddities", id, name],
    queryFn: ({ signal }) =>
      api("GET /api/gateways/{id}/instances/{name}/oddities", { params: { id, name }, signal }),
  });
  return (
    <Dialog
      title={t.title}
      context={t.context(shownName(instance))}
      size="mid"
      onClose={onClose}
      foot={<Button onClick={onClose}>{commonText.close}</Button>}
    >
      {query.isPending && (
        <Skeleton>
          {["a", "b"].map((row) => (
            <Bone key={row} width="100%" height="72px" style={{ marginBottom: 12 }} />
          ))}
        </Skeleton>
      )}
      {query.isError && <QueryError title={t.failed} query={query} />}
      {query.data?.oddities.length === 0 && <p className={dialogStyles.dialogText}>{t.empty}</p>}
      <ul className={clsx(layoutStyles.stack4, styles.oddities)}>
        {query.data?.oddities.map((odd) => (
          <li key={odd.id}>
            <p className={styles.oddHead}>
              <strong>{t.reasons[odd.reason]}</strong> <code>{odd.event ?? t.unnamed}</code>
              <span data-ui="num">{formatDateTime(odd.at, timeZone)}</span>
            </p>
            <ScrollRegion
              label={t.body(odd.event ?? t.unnamed)}
              className={clsx(layoutStyles.well, styles.body)}
            >
              <pre>{odd.body}</pre>
            </ScrollRegion>
          </li>
        ))}
      </ul>
    </Dialog>
  );
}
