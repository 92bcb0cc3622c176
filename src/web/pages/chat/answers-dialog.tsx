import { useQuery } from "@tanstack/react-query";
import { api } from "../../api/call.ts";
import { usePollingWhenDown } from "../../api/events.ts";
import { AnswerList } from "../../assistant/answer-list.tsx";
import { chatText } from "../../messages/chat.ts";
import { commonText } from "../../messages/common.ts";
import { Button } from "../../ui/button.tsx";
import { Dialog } from "../../ui/dialog.tsx";
import emptyStateStyles from "../../ui/empty-state.module.css";
import { QueryError } from "../../ui/error-notice.tsx";
import { Bone, Skeleton } from "../../ui/skeleton.tsx";

const t = chatText.assistant;

type Props = { chatId: number; name: string; onClose: () => void };

export function AnswersDialog({ chatId, name, onClose }: Props) {
  const query = useQuery({
    queryKey: ["chats", "answers", chatId],
    queryFn: ({ signal }) => api("GET /api/chats/{id}/answers", { params: { id: chatId }, signal }),
    refetchInterval: usePollingWhenDown(5_000),
  });
  const answers = query.data?.answers;
  return (
    <Dialog
      title={t.answers}
      context={t.answersContext(name)}
      size="mid"
      onClose={onClose}
      foot={<Button onClick={onClose}>{commonText.close}</Button>}
    >
      {answers && answers.length > 0 ? (
        <AnswerList answers={answers} />
      ) : answers ? (
        <div className={emptyStateStyles.blank} data-ui="blank">
          <h2>{t.answersEmpty}</h2>
          <p>{t.answersEmptyText}</p>
        </div>
      ) : query.isError ? (
        <QueryError title={t.answersFailed} query={query} />
      ) : (
        <Skeleton>
          {[88, 72, 80].map((width) => (
            <Bone key={width} width={`${width}%`} style={{ marginBottom: 28 }} />
          ))}
        </Skeleton>
      )}
    </Dialog>
  );
}
