import { useQuery } from "@tanstack/react-query";
import type { AudienceQuestion } from "../../../contract/audiences.ts";
import { formatPhone } from "../../../domain/phone-written.ts";
import { audienceNamesQuery } from "../../api/segments.ts";
import { audienceText } from "../../messages/audience.ts";
import { commonText } from "../../messages/common.ts";
import { Button } from "../../ui/button.tsx";
import { Dialog } from "../../ui/dialog.tsx";
import { QueryError } from "../../ui/error-notice.tsx";
import { ScrollRegion } from "../../ui/scroll-region.tsx";
import { Bone, Skeleton } from "../../ui/skeleton.tsx";
import textStyles from "../../ui/text.module.css";
import { type Line, lineWords } from "./audience-lines.ts";
import styles from "./ledger.module.css";

const t = audienceText.names;

type Props = { line: Line; question: AudienceQuestion; onClose: () => void };

export function NamesDialog({ line, question, onClose }: Props) {
  const query = useQuery(audienceNamesQuery(question, line.key));
  const { data } = query;
  const shown = data?.items.length ?? 0;
  return (
    <Dialog
      title={lineWords(line)}
      context={data ? shown < data.people ? t.first(shown, data.people) : t.count(data.people) : <>&nbsp;</>}
      onClose={onClose}
      foot={<Button onClick={onClose}>{commonText.close}</Button>}
    >
      {query.error && <QueryError title={t.failed} query={query} />}
      {query.isPending && (
        <Skeleton className={styles.names}>
          <Bone height="12rem" />
        </Skeleton>
      )}
      {data && shown === 0 && <p className={textStyles.quiet}>{t.none}</p>}
      {data && shown > 0 && (
        <ScrollRegion label={lineWords(line)} className={styles.names}>
          <ul>
            {data.items.map(({ phone, name }) => (
              <li key={phone}>
                <span>{name || t.nameless}</span>
                <span data-ui="num">{formatPhone(phone)}</span>
              </li>
            ))}
          </ul>
        </ScrollRegion>
      )}
    </Dialog>
  );
}
