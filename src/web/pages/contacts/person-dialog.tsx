import { clsx } from "clsx";
import { UserX } from "lucide-react";
import { useState } from "react";
import type { Contact, ContactListCard } from "../../../contract/contacts.ts";
import { formatPhone } from "../../../domain/phone-written.ts";
import { errorTextOf, orGone } from "../../api/api-error.ts";
import { api } from "../../api/call.ts";
import { listName } from "../../lib/list-name.ts";
import { commonText } from "../../messages/common.ts";
import { contactsText } from "../../messages/contacts.ts";
import { optOutsText } from "../../messages/opt-outs.ts";
import { Badge } from "../../ui/badge.tsx";
import { Button } from "../../ui/button.tsx";
import { CopyButton } from "../../ui/copy-button.tsx";
import { Dialog } from "../../ui/dialog.tsx";
import { SmallError } from "../../ui/error-notice.tsx";
import fieldStyles from "../../ui/field.module.css";
import layoutStyles from "../../ui/layout.module.css";
import { toastDone, toastUndo } from "../../ui/toast.tsx";
import styles from "./contacts.module.css";
import { useContactsChanged } from "./use-opt-outs.ts";

const t = contactsText.person;

type Props = { person: Contact; list: ContactListCard; onClose: () => void };

export function PersonDialog({ person, list, onClose }: Props) {
  const phone = formatPhone(person.phone);
  const { busy, error, change } = useCampaignWish(person, onClose);
  return (
    <Dialog
      title={person.name || contactsText.noName}
      context={t.inList(listName(list))}
      busy={busy}
      onClose={onClose}
      foot={
        <>
          <Button busy={busy} onClick={() => void change()}>
            {person.optedOut ? optOutsText.allow : t.leaveOut}
          </Button>
          <Button look="primary" onClick={onClose}>
            {commonText.close}
          </Button>
        </>
      }
    >
      {error !== null && <SmallError title={t.failed} text={error} />}
      <div className={clsx(layoutStyles.row3, styles.personNumber)}>
        <span data-ui="num">{phone}</span>
        <CopyButton text={phone} label={t.copy} />
      </div>
      {person.optedOut && (
        <Badge tone="quiet" icon={UserX} low>
          {optOutsText.badge}
        </Badge>
      )}
      <p className={fieldStyles.hint} data-ui="hint">
        {person.optedOut ? t.allowHint : t.leaveOutHint}
      </p>
    </Dialog>
  );
}

function useCampaignWish(person: Contact, onDone: () => void) {
  const changed = useContactsChanged();
  const [busy, setBusy] = useState(false);
  const [error, setError] = useState<string | null>(null);
  const change = async () => {
    setBusy(true);
    setError(null);
    try {
      await (person.optedOut ? allow(person, changed) : leaveOut(person, changed));
      await changed();
      onDone();
    } catch (thrown) {
      setError(errorTextOf(thrown, ""));
      setBusy(false);
    }
  };
  return { busy, error, change };
}

type Changed = () => Promise<unknown>;
/** Without +, foreign digits could be read as a Brazilian number. */
const typed = ({ phone }: Contact) => `+${phone}`;

async function leaveOut(person: Contact, changed: Changed) {
  const left = await api("POST /api/opt-outs", { body: { phone: typed(person) } });
  const said = optOutsText.added(formatPhone(left.phone));
  if (!left.reversible) return toastDone(said);
  toastUndo(said, async () => {
    await orGone(
      api("DELETE /api/opt-outs/{phone}", { params: { phone: typed(person) }, query: { at: left.at } }),
    );
    await changed();
    return optOutsText.allowed(formatPhone(left.phone));
  });
}

async function allow(person: Contact, changed: Changed) {
  const who = person.name || formatPhone(person.phone);
  const found = await api("GET /api/opt-outs", { query: { search: person.phone, limit: 10 } });
  const entry = found.optOuts.find(({ phone }) => phone === person.phone);
  const query = entry ? { at: entry.at } : {};
  const allowed = entry
    ? await orGone(api("DELETE /api/opt-outs/{phone}", { params: { phone: typed(person) }, query }))
    : undefined;
  if (!allowed) return toastDone(optOutsText.allowed(who));
  toastUndo(optOutsText.allowed(who), async () => {
    await api("POST /api/opt-outs/restore", { body: { undo: allowed.undo } });
    await changed();
    return optOutsText.restored(who);
  });
}
