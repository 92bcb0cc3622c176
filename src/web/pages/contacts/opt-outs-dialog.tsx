import { useState } from "react";
import type { OptOut } from "../../../contract/opt-outs.ts";
import { formatPhone } from "../../../domain/phone.ts";
import { faultText } from "../../api/api-error.ts";
import { api } from "../../api/call.ts";
import { useMe } from "../../api/me.ts";
import { Button } from "../../components/button.tsx";
import { Dialog } from "../../components/dialog.tsx";
import { Fault, SmallFault } from "../../components/fault.tsx";
import { TextInput } from "../../components/inputs.tsx";
import { ScrollRegion } from "../../components/scroll-region.tsx";
import { SearchBox } from "../../components/search-box.tsx";
import { Bone, Skeleton } from "../../components/skeleton.tsx";
import { toastDone, toastUndo } from "../../components/toast.tsx";
import { formatDateTime } from "../../format.ts";
import { optOutsText as t } from "../../messages/opt-outs.ts";
import { useForm } from "../../use-form.ts";
import { useContactsChanged, useOptOuts } from "./use-opt-outs.ts";

/** Who wants no campaigns, how they left, and the way back. */
export function OptOutsDialog({ onClose }: { onClose: () => void }) {
  const [search, setSearch] = useState("");
  const query = useOptOuts(search);
  const [fault, setFault] = useState<unknown>(null);
  // A form of its own for each: the emptied field of the last one would be found faulty.
  const [added, setAdded] = useState(0);
  return (
    <Dialog title={t.title} context={t.context} size="mid" onClose={onClose}>
      <AddForm key={added} onAdded={() => setAdded(added + 1)} />
      {(query.total > 8 || search !== "") && (
        <SearchBox label={t.search} placeholder={t.searchPlaceholder} value={search} onChange={setSearch} />
      )}
      {fault !== null && <SmallFault title={t.allowFailed} text={faultText(fault, "")} />}
      {query.isPending && (
        <Skeleton className="left-rows">
          {["a", "b", "c"].map((row) => (
            <Bone key={row} width="100%" height="44px" />
          ))}
        </Skeleton>
      )}
      {query.error && query.people.length === 0 && (
        <Fault title={t.failed} error={query.error} onRetry={() => query.refetch()} busy={query.isFetching} />
      )}
      {query.isSuccess && query.people.length === 0 && (
        <p className="left-none">{search === "" ? t.none : t.nothing(search)}</p>
      )}
      {query.people.length > 0 && (
        <ScrollRegion label={t.list} className="left-rows">
          <ul>
            {query.people.map((person) => (
              <Person key={person.phone} person={person} onFault={setFault} />
            ))}
          </ul>
          {query.hasNextPage && (
            <Button small busy={query.isFetchingNextPage} onClick={() => query.fetchNextPage()}>
              {t.more}
            </Button>
          )}
        </ScrollRegion>
      )}
    </Dialog>
  );
}

function Person({ person, onFault }: { person: OptOut; onFault: (fault: unknown) => void }) {
  const { timeZone } = useMe();
  const changed = useContactsChanged();
  const [busy, setBusy] = useState(false);
  const phone = formatPhone(person.phone);
  const who = person.name ?? phone;
  const how = person.source === "reply" ? t.replied(person.text ?? "", person.connectionName) : t.manual;
  const allow = async () => {
    setBusy(true);
    onFault(null);
    try {
      const { undo } = await api("DELETE /api/opt-outs/{phone}", { params: { phone: person.phone } });
      toastUndo(t.allowed(who), async () => {
        await api("POST /api/opt-outs/restore", { body: { undo } });
        await changed();
        return t.restored(who);
      });
    } catch (thrown) {
      onFault(thrown);
    }
    setBusy(false);
    await changed();
  };
  return (
    <li>
      <div>
        <p>
          <b>{person.name ?? t.noName}</b> <span className="num">{phone}</span>
        </p>
        <p className="how">
          {how}, {formatDateTime(person.at, timeZone)}
        </p>
      </div>
      <Button small busy={busy} aria-label={t.allowLabel(who)} onClick={allow}>
        {t.allow}
      </Button>
    </li>
  );
}

function AddForm({ onAdded }: { onAdded: () => void }) {
  const changed = useContactsChanged();
  const form = useForm({
    initial: { phone: "" },
    validate: ({ phone }) => ({ phone: phone.trim() === "" ? t.phoneRequired : null }),
    submit: async ({ phone }) => {
      const left = await api("POST /api/opt-outs", { body: { phone } });
      const said = t.added(formatPhone(left.phone));
      if (left.reversible)
        toastUndo(said, async () => {
          await api("DELETE /api/opt-outs/{phone}", {
            params: { phone: left.phone },
            query: { source: "manual" },
          });
          await changed();
          return t.allowed(formatPhone(left.phone));
        });
      else toastDone(said);
      await changed();
      onAdded();
    },
  });
  return (
    <form {...form.formProps}>
      {form.fault !== null && <SmallFault title={t.addFailed} text={faultText(form.fault, "")} />}
      <div className="left-add">
        <TextInput
          label={t.phone}
          type="tel"
          inputMode="tel"
          autoComplete="off"
          className="num"
          hint={t.phoneHint}
          {...form.text("phone")}
        />
        <Button type="submit" busy={form.busy} busyText={t.adding}>
          {t.add}
        </Button>
      </div>
    </form>
  );
}
