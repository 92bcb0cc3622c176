import { type UseQueryResult, useQuery } from "@tanstack/react-query";
import { clsx } from "clsx";
import { KeyRound, Plus } from "lucide-react";
import type { ApiKey } from "../../../contract/settings.ts";
import { settingsText } from "../../messages/settings.ts";
import { Button } from "../../ui/button.tsx";
import cardStyles from "../../ui/card.module.css";
import { EmptyState } from "../../ui/empty-state.tsx";
import { QueryError } from "../../ui/error-notice.tsx";
import { Bone, Skeleton } from "../../ui/skeleton.tsx";
import textStyles from "../../ui/text.module.css";
import { useRestoredDialog } from "../../ui/use-draft.ts";
import { useRefetchError } from "../../ui/use-refetch-error.ts";
import { KeyTable } from "./key-table.tsx";
import { KeysHow } from "./keys-how.tsx";
import { NewKeyDialog } from "./new-key-dialog.tsx";
import { keysQuery } from "./queries.ts";
import { RevokeDialog } from "./revoke-dialog.tsx";
import styles from "./settings.module.css";

const t = settingsText.keys;

export function KeysTab() {
  const query = useQuery(keysQuery);
  const [open, setOpen] = useRestoredDialog<"new" | { revoke: ApiKey }>("keys");
  const close = () => setOpen(null);
  const make = () => setOpen("new");
  return (
    <>
      <section className={cardStyles.card} aria-labelledby="settings-keys">
        <div className={clsx(cardStyles.cardHead, styles.settingsHead)} data-ui="card-head">
          <div>
            <h2 id="settings-keys" className={cardStyles.cardTitle}>
              {t.title}
            </h2>
            <p className={textStyles.quiet}>{t.explained}</p>
          </div>
          <Button look={query.data?.length === 0 ? "secondary" : "primary"} icon={Plus} onClick={make}>
            {t.create}
          </Button>
        </div>
        <Keys query={query} onMake={make} onRevoke={(key) => setOpen({ revoke: key })} />
      </section>
      {!query.isPending && <KeysHow />}
      {open === "new" && <NewKeyDialog onClose={close} />}
      {open !== null && open !== "new" && <RevokeDialog apiKey={open.revoke} onClose={close} />}
    </>
  );
}

type KeysProps = {
  query: UseQueryResult<ApiKey[]>;
  onMake: () => void;
  onRevoke: (key: ApiKey) => void;
};

function Keys({ query, onMake, onRevoke }: KeysProps) {
  const old = useRefetchError(query);
  if (query.isPending)
    return (
      <Skeleton className={styles.settingsInside}>
        <Bone width="60%" />
        <Bone width="80%" style={{ marginTop: 14 }} />
      </Skeleton>
    );
  const errorNotice = (
    <div className={styles.settingsInside}>
      <QueryError title={t.failed} query={query} />
    </div>
  );
  if (!query.data || (old && query.data.length === 0)) return errorNotice;
  if (query.data.length === 0)
    return (
      <div className={styles.settingsEmpty}>
        <EmptyState icon={KeyRound} title={t.empty} text={t.emptyText}>
          <Button look="primary" onClick={onMake}>
            {t.create}
          </Button>
        </EmptyState>
      </div>
    );
  return (
    <>
      {old && errorNotice}
      <KeyTable keys={query.data} onRevoke={onRevoke} />
    </>
  );
}
