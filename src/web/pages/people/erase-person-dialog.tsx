import { useQuery } from "@tanstack/react-query";
import type { Erasure, PersonDetails } from "../../../contract/people.ts";
import { formatPhone } from "../../../domain/phone-written.ts";
import { api } from "../../api/call.ts";
import { erasureQuery } from "../../api/people.ts";
import { personText } from "../../messages/people.ts";
import { ConfirmDialog } from "../../ui/confirm-dialog.tsx";
import { QueryError } from "../../ui/error-notice.tsx";
import layoutStyles from "../../ui/layout.module.css";
import { Bone, Skeleton } from "../../ui/skeleton.tsx";
import { toastDone } from "../../ui/toast.tsx";
import styles from "./person-page.module.css";
import { usePeopleChanged } from "./use-people-changed.ts";

const t = personText.erase;

type Props = { person: PersonDetails; onErased: () => void; onClose: () => void };

export function ErasePersonDialog({ person, onErased, onClose }: Props) {
  const changed = usePeopleChanged();
  const query = useQuery(erasureQuery(person.id));
  const { data } = query;
  return (
    <ConfirmDialog
      question={t.question(person.name || formatPhone(person.phone))}
      known={data !== undefined}
      verb={t.verb}
      busyText={t.busy}
      failure={t.failed}
      onConfirm={async () => {
        await api("POST /api/people/{id}/erase", { params: { id: person.id } });
        onErased();
        await changed();
        toastDone(t.done);
      }}
      onClose={onClose}
    >
      {data ? (
        <div className={layoutStyles.stack3}>
          <Part title={t.goes} lines={goingOf(data)} />
          <Part title={t.stays} lines={stayingOf(data)} />
          <p>{t.final}</p>
        </div>
      ) : query.error ? (
        <QueryError title={t.unknown} query={query} />
      ) : (
        <Skeleton className={layoutStyles.stack3}>
          <Bone width="90%" />
          <Bone width="70%" />
        </Skeleton>
      )}
    </ConfirmDialog>
  );
}

const goingOf = ({ chats, messages, direct }: Erasure) => [
  t.data,
  ...(chats > 0 ? [t.chats(chats, messages)] : []),
  ...(direct > 0 ? [t.direct(direct)] : []),
];

const stayingOf = ({ campaigns, waiting }: Erasure) => [
  ...(campaigns > 0 ? [t.campaigns(campaigns)] : []),
  ...(waiting > 0 ? [t.waiting(waiting)] : []),
  t.mark,
];

function Part({ title, lines }: { title: string; lines: readonly string[] }) {
  return (
    <div>
      <b className={layoutStyles.medium}>{title}</b>
      <ul className={styles.consequences}>
        {lines.map((line) => (
          <li key={line}>{line}</li>
        ))}
      </ul>
    </div>
  );
}
