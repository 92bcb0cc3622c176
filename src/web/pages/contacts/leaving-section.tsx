import { useQuery } from "@tanstack/react-query";
import { clsx } from "clsx";
import type { MouseEvent } from "react";
import type { OptOut } from "../../../contract/opt-outs.ts";
import { formatPhone } from "../../../domain/phone-written.ts";
import { api } from "../../api/call.ts";
import { useMe } from "../../api/me.ts";
import { restoreFocus } from "../../lib/restore-focus.ts";
import { formatDateTime } from "../../messages/format.ts";
import { leavingRequestsText as t } from "../../messages/leaving-requests.ts";
import { optOutsText } from "../../messages/opt-outs.ts";
import { useLeavingDecision } from "../../opt-outs/use-leaving-decision.ts";
import { Button } from "../../ui/button.tsx";
import { QueryError } from "../../ui/error-notice.tsx";
import layoutStyles from "../../ui/layout.module.css";
import { CutLine } from "../../ui/tooltip.tsx";
import type { WhilePending } from "../../ui/use-pending.ts";
import styles from "./leaving-section.module.css";

const SHOWN = 50;

export function LeavingSection({ during }: { during: WhilePending }) {
  const query = useQuery({
    queryKey: ["contacts", "opt-outs", "undecided"],
    queryFn: ({ signal }) =>
      api("GET /api/opt-outs", { query: { state: "undecided", limit: SHOWN }, signal }),
  });
  if (query.isError && !query.data) return <QueryError title={optOutsText.failed} query={query} />;
  const people = query.data?.optOuts ?? [];
  const total = query.data?.total ?? 0;
  if (people.length === 0) return null;
  return (
    <section
      className={clsx(layoutStyles.stack2, layoutStyles.frame, styles.mayLeave)}
      aria-labelledby="may-leave"
      tabIndex={-1}
    >
      <h3 id="may-leave">{t.open(total)}</h3>
      <p>{t.section}</p>
      <ul aria-label={t.list}>
        {people.map((person) => (
          <Person key={`${person.phone} ${person.at}`} person={person} during={during} />
        ))}
      </ul>
      {total > people.length && <p>{t.more(people.length, total)}</p>}
    </section>
  );
}

function Person({ person, during }: { person: OptOut; during: WhilePending }) {
  const { timeZone } = useMe();
  const { phone, at, name, text, connectionName } = person;
  const who = name ?? formatPhone(phone);
  const { busy, leaves, stays } = useLeavingDecision({ phone, at, who });
  const press = (act: () => Promise<void>) => async (event: MouseEvent) => {
    const row = event.currentTarget.closest("li");
    const next = (row?.nextElementSibling ?? row?.previousElementSibling)?.querySelector("button");
    const goOn = restoreFocus(event);
    await during(act);
    goOn(next);
  };
  return (
    <li>
      <div>
        <div className={styles.whoLeft}>
          <b>
            <CutLine text={name ?? optOutsText.noName} />
          </b>{" "}
          <span data-ui="num">{formatPhone(phone)}</span>
        </div>
        <div className={styles.how}>
          {optOutsText.replied(text ?? "", connectionName)}, {formatDateTime(at, timeZone)}
        </div>
      </div>
      <div className={layoutStyles.cluster}>
        <Button small busy={busy} aria-label={t.leavesLabel(who)} onClick={press(leaves)}>
          {t.leaves}
        </Button>
        <Button small busy={busy} aria-label={t.staysLabel(who)} onClick={press(stays)}>
          {t.stays}
        </Button>
      </div>
    </li>
  );
}
