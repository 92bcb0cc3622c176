import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { useEffect } from "react";
import type { AudienceQuestion } from "../../../contract/audiences.ts";
import { CHECK_MS, CHECKS_MOST } from "../../../domain/number-checks.ts";
import { errorTextOf } from "../../api/api-error.ts";
import { api } from "../../api/call.ts";
import { numberChecksQuery } from "../../api/segments.ts";
import { lastLookText as t } from "../../messages/last-look.ts";
import { SmallError } from "../../ui/error-notice.tsx";
import textStyles from "../../ui/text.module.css";
import textLinkStyles from "../../ui/text-link.module.css";

const minutesFor = (numbers: number) => Math.max(1, Math.round((numbers * CHECK_MS) / 60_000));

/** Asks WhatsApp in the background who has it at all. */
export function NumberChecks({ question }: { question: AudienceQuestion | null }) {
  const queries = useQueryClient();
  const query = numberChecksQuery(question);
  const { data } = useQuery(query);
  const waiting = data?.waiting ?? 0;
  // Each answer may take a person out.
  useEffect(() => {
    if (waiting > 0) return () => void queries.invalidateQueries({ queryKey: ["contacts", "audience"] });
  }, [waiting, queries]);
  const begin = useMutation({
    mutationFn: (body: AudienceQuestion) => api("POST /api/audience/number-checks", { body }),
    onSuccess: (answer) => queries.setQueryData(query.queryKey, answer),
  });
  if (!data || !question) return null;
  if (waiting > 0)
    return (
      <p className={textStyles.quiet} aria-live="polite">
        {t.checking(waiting, minutesFor(waiting))}
      </p>
    );
  const { unchecked, may } = data;
  if (unchecked === 0 || may === "no_number") return null;
  if (may === "new_number") return <p className={textStyles.quiet}>{t.checkTooNew(unchecked)}</p>;
  if (may === "too_many") return <p className={textStyles.quiet}>{t.checkTooMany(unchecked, CHECKS_MOST)}</p>;
  return (
    <>
      <p className={textStyles.quiet}>
        {t.unchecked(unchecked)}{" "}
        <button
          type="button"
          className={textLinkStyles.link}
          data-ui="link"
          disabled={begin.isPending}
          onClick={() => begin.mutate(question)}
        >
          {t.check}
        </button>
        {t.checkTime(minutesFor(unchecked))}
      </p>
      {begin.error && <SmallError title={t.checkFailed} text={errorTextOf(begin.error, "")} />}
    </>
  );
}
