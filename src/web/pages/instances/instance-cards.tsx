import { clsx } from "clsx";
import type { Instance } from "../../../contract/gateways.ts";
import { useConnections } from "../../api/connections.ts";
import { instancesText } from "../../messages/instances.ts";
import cardStyles from "../../ui/card.module.css";
import { Bone, Skeleton } from "../../ui/skeleton.tsx";
import { InstanceCard } from "./instance-card.tsx";
import styles from "./instances.module.css";
import type { Open } from "./open-dialog.tsx";

const t = instancesText.list;

type Props = { instances: readonly Instance[]; onOpen: (open: Open) => void };

export function InstanceCards({ instances, onOpen }: Props) {
  const connections = useConnections().data;
  return (
    <ul className={clsx(cardStyles.tiles, styles.instances)} aria-label={t.label}>
      {instances.map((instance) => (
        <li key={instance.name}>
          <InstanceCard
            instance={instance}
            since={connections?.find(({ id }) => id === instance.connectionId)?.since ?? null}
            onOpen={onOpen}
          />
        </li>
      ))}
    </ul>
  );
}

export function InstanceCardsSkeleton() {
  return (
    <Skeleton className={clsx(cardStyles.tiles, styles.instances)}>
      {["a", "b"].map((card) => (
        <div key={card} className={clsx(cardStyles.card, cardStyles.tile, styles.instance)}>
          <header>
            <Bone width="44px" height="44px" style={{ borderRadius: "50%" }} />
            <div className={styles.whose}>
              <Bone width="50%" height="14px" style={{ marginTop: 4 }} />
              <Bone width="38%" style={{ marginTop: 10 }} />
            </div>
            <Bone width="100px" height="24px" />
          </header>
          <Bone width="100%" height="44px" style={{ marginTop: 20 }} />
          <Bone width="70%" style={{ marginTop: 20 }} />
          <Bone width="55%" style={{ marginTop: 12 }} />
          <Bone width="100%" height="32px" style={{ marginTop: 20 }} />
        </div>
      ))}
    </Skeleton>
  );
}
