import { clsx } from "clsx";
import { type MouseEvent, useCallback, useState } from "react";
import type { OptOut } from "../../../contract/opt-outs.ts";
import { formatPhone } from "../../../domain/phone-written.ts";
import { ApiError, errorTextOf, orGone } from "../../api/api-error.ts";
import { api } from "../../api/call.ts";
import { useMe } from "../../api/me.ts";
import { PART } from "../../api/paged-rows.ts";
import { restoreFocus } from "../../lib/restore-focus.ts";
import { scaled } from "../../lib/text-size.ts";
import { formatDateTime } from "../../messages/format.ts";
import { optOutsText as t } from "../../messages/opt-outs.ts";
import { pagedRowsText } from "../../messages/paged-rows.ts";
import { Button } from "../../ui/button.tsx";
import { Dialog } from "../../ui/dialog.tsx";
import { ErrorNotice, QueryError, SmallError } from "../../ui/error-notice.tsx";
import { PhoneInput } from "../../ui/inputs.tsx";
import layoutStyles from "../../ui/layout.module.css";
import { VirtualRows } from "../../ui/row-parts.tsx";
import { SearchBox } from "../../ui/search-box.tsx";
import { Bone, Skeleton } from "../../ui/skeleton.tsx";
import textStyles from "../../ui/text.module.css";
import { toastDone, toastUndo } from "../../ui/toast.tsx";
import { CutLine } from "../../ui/tooltip.tsx";
import { useNarrow, useTiny } from "../../ui/use-narrow.ts";
import { usePending, type WhilePending } from "../../ui/use-pending.ts";
import { type MarkUnsaved, useAskedLeave, useMark } from "../../ui/use-unsaved.tsx";
import { useWindowForm } from "../../ui/use-window-form.ts";
import { VirtualList } from "../../ui/virtual-list.tsx";
import { LeavingSection } from "./leaving-section.tsx";
import styles from "./opt-outs-dialog.module.css";
import { useContactsChanged, useEverybodyLeft, useFoundLeft, useOptOutCount } from "./use-opt-outs.ts";

/** The same height as in opt-outs-dialog.css. */
const ROW = scaled(61);
const NARROW_ROW = scaled(97);
const TINY_ROW = scaled(160);
const FEW = 8;

export function OptOutsDialog({ onClose }: { onClose: () => void }) {
  const [search, setSearch] = useState("");
  const query = useOptOutCount();
  const [error, setError] = useState<string | null>(null);
  const { busy, during } = usePending();
  const { mark, question, onLeave } = useAskedLeave(onClose);
  const total = query.data?.total ?? 0;
  return (
    <Dialog title={t.title} context={t.context} size="mid" busy={busy} onClose={onClose} onLeave={onLeave}>
      <LeavingSection during={during} />
      <AddForm during={during} mark={mark} />
      {(total > FEW || search !== "") && (
        <SearchBox label={t.search} placeholder={t.searchPlaceholder} value={search} onChange={setSearch} />
      )}
      {error !== null && <SmallError title={t.allowFailed} text={error} />}
      {query.isPending && (
        <Skeleton>
          {["a", "b", "c"].map((row) => (
            <Bone key={row} width="100%" height="44px" />
          ))}
        </Skeleton>
      )}
      {query.isError && !query.data && <QueryError title={t.failed} query={query} />}
      {query.data && total === 0 && query.data.undecided === 0 && search === "" && (
        <p className={textStyles.quiet}>{t.none}</p>
      )}
      {query.data && (total > 0 || search !== "") && (
        <Left total={total} search={search} during={during} onError={setError} />
      )}
      {question}
    </Dialog>
  );
}

type Outcome = { during: WhilePending; onError: (error: string | null) => void };
type LeftProps = Outcome & { total: number; search: string };

function Left({ total, search, during, onError }: LeftProps) {
  const [from, setFrom] = useState(0);
  const all = search === "";
  const everybody = useEverybodyLeft(total, from, all);
  const found = useFoundLeft(search);
  const rows = all ? everybody : found.rows;
  const drawn = useCallback(
    (person: OptOut | undefined) =>
      person ? <Person person={person} during={during} onError={onError} /> : <Coming />,
    [during, onError],
  );
  const narrow = useNarrow() ? NARROW_ROW : ROW;
  const height = useTiny() ? TINY_ROW : narrow;
  return (
    <>
      {rows.error !== null && <ErrorNotice title={t.failed} error={rows.error} onRetry={rows.retry} />}
      {!rows.blank && (
        <div>
          <VirtualList
            key={`${search}|${from}`}
            label={t.list}
            className={clsx(styles.leftRows, total <= FEW && all && styles.few)}
            rows={rows}
            height={height}
            first={all ? from : 0}
            whole={all ? total : found.more ? -1 : rows.count}
            nothing={t.nothing(search)}
            keyOf={phoneOf}
          >
            {drawn}
          </VirtualList>
          {all && total > PART && <VirtualRows total={total} from={from} onGo={setFrom} />}
        </div>
      )}
    </>
  );
}

const phoneOf = ({ phone }: OptOut) => phone;

function Coming() {
  return (
    <>
      <span className={layoutStyles.srOnly}>{pagedRowsText.loadingRow}</span>
      <Bone width="45%" />
      <Bone width="20%" height="30px" />
    </>
  );
}

function Person({ person, ...outcome }: Outcome & { person: OptOut }) {
  const { timeZone } = useMe();
  const { busy, allow } = useAllow(person, outcome);
  const who = person.name ?? formatPhone(person.phone);
  const how = person.source === "reply" ? t.replied(person.text ?? "", person.connectionName) : t.manual;
  return (
    <>
      <div>
        <div className={styles.whoLeft}>
          <b>
            <CutLine text={person.name ?? t.noName} />
          </b>{" "}
          <span data-ui="num">{formatPhone(person.phone)}</span>
        </div>
        <div className={clsx(textStyles.quiet, styles.how)}>
          <CutLine text={`${how}, ${formatDateTime(person.at, timeZone)}`} />
        </div>
      </div>
      <Button small busy={busy} aria-label={t.allowLabel(who)} onClick={allow}>
        {t.allow}
      </Button>
    </>
  );
}

/** Without +, foreign digits could be read as a Brazilian number. */
const entryOf = ({ phone, at }: OptOut) => ({ params: { phone: `+${phone}` }, query: { at } });

/** Allows campaigns again; Undo for ten minutes. */
function useAllow(person: OptOut, { during, onError }: Outcome) {
  const changed = useContactsChanged();
  const [busy, setBusy] = useState(false);
  const who = person.name ?? formatPhone(person.phone);
  const allow = async (event: MouseEvent) => {
    const row = event.currentTarget.closest("li");
    const goOn = restoreFocus(event);
    setBusy(true);
    onError(null);
    try {
      const allowed = await during(() => orGone(api("DELETE /api/opt-outs/{phone}", entryOf(person))));
      goOn((row?.nextElementSibling ?? row?.previousElementSibling)?.querySelector(":scope > button"));
      if (allowed)
        toastUndo(t.allowed(who), async () => {
          await api("POST /api/opt-outs/restore", { body: { undo: allowed.undo } });
          await changed();
          return t.restored(who);
        });
      else toastDone(t.allowed(who));
    } catch (thrown) {
      const leftAgain = thrown instanceof ApiError && thrown.code === "undo_too_late";
      onError(leftAgain ? t.leftAgain(who) : errorTextOf(thrown, ""));
    }
    // Wait for the new list: a second press would report an error.
    await changed();
    setBusy(false);
  };
  return { busy, allow };
}

function AddForm({ during, mark }: { during: WhilePending; mark: MarkUnsaved }) {
  const changed = useContactsChanged();
  const form = useWindowForm("opt-out", {
    initial: { phone: "" },
    validate: ({ phone }) => ({ phone: phone.trim() === "" ? t.phoneRequired : null }),
    submit: async (body) => {
      const left = await during(() => api("POST /api/opt-outs", { body }));
      form.settle(body, { phone: "" });
      const said = t.added(formatPhone(left.phone));
      if (left.reversible)
        toastUndo(said, async () => {
          await orGone(api("DELETE /api/opt-outs/{phone}", entryOf(left)));
          await changed();
          return t.allowed(formatPhone(left.phone));
        });
      else toastDone(said);
      void changed();
    },
  });
  useMark(mark, "opt-out", form.unsaved);
  return (
    <form {...form.formProps}>
      {form.submitError !== null && (
        <SmallError title={t.addFailed} text={errorTextOf(form.submitError, "")} />
      )}
      <div className={clsx(layoutStyles.stack3, styles.leftAdd)}>
        <PhoneInput label={t.phone} hint={t.phoneHint} {...form.text("phone")} />
        <Button type="submit" busy={form.busy} busyText={t.adding}>
          {t.add}
        </Button>
      </div>
    </form>
  );
}
