import { clsx } from "clsx";
import {
  Archive,
  ArchiveRestore,
  Ban,
  BellOff,
  Bot,
  CalendarClock,
  CircleCheck,
  Copy,
  Download,
  KeyRound,
  LogIn,
  LogOut,
  Megaphone,
  Pause,
  Pencil,
  Play,
  RotateCcw,
  Server,
  ShieldAlert,
  Smartphone,
  Trash2,
  Undo2,
  Unplug,
  UserCog,
  UserPlus,
} from "lucide-react";
import type { AuditEvent, AuditKind } from "../../../contract/audit.ts";
import { useMe } from "../../api/me.ts";
import { activityText as t } from "../../messages/activity.ts";
import { formatNear } from "../../messages/format.ts";
import avatarStyles from "../../ui/avatar.module.css";
import { Icon, type LucideIcon } from "../../ui/icon.tsx";
import personStyles from "../../ui/person.module.css";
import activityTabStyles from "./activity-tab.module.css";
import settingsStyles from "./settings.module.css";

const ICONS: Record<AuditKind, LucideIcon> = {
  account_created: UserPlus,
  account_suspended: Ban,
  account_resumed: Play,
  signed_in: LogIn,
  sign_in_failed: ShieldAlert,
  session_ended: LogOut,
  password_changed: UserCog,
  password_reset: UserCog,
  email_changed: UserCog,
  key_created: KeyRound,
  key_revoked: KeyRound,
  connection_linked: Smartphone,
  connection_ended: Unplug,
  connection_removed: Trash2,
  plan_changed: CalendarClock,
  gateway_created: Server,
  gateway_changed: Server,
  gateway_removed: Server,
  instance_created: Server,
  instance_added: Server,
  instance_removed: Trash2,
  relay_set: Server,
  relay_ended: Unplug,
  mistral_set: KeyRound,
  mistral_removed: KeyRound,
  assistant_on: Bot,
  assistant_off: Bot,
  service_opened: UserCog,
  service_closed: UserCog,
  campaign_scheduled: CalendarClock,
  campaign_started: Megaphone,
  campaign_paused: Pause,
  campaign_resumed: Play,
  campaign_finished: CircleCheck,
  campaign_undone: Undo2,
  campaign_cancelled: Ban,
  campaign_resent: RotateCcw,
  campaign_archived: Archive,
  campaign_unarchived: ArchiveRestore,
  campaign_deleted: Trash2,
  limit_set: UserCog,
  list_renamed: Pencil,
  list_duplicated: Copy,
  list_deleted: Trash2,
  person_erased: Trash2,
  person_taken_back: Trash2,
  person_exported: Trash2,
  people_removed: Trash2,
  people_exported: Download,
  field_removed: Trash2,
  segment_removed: Trash2,
  template_removed: Trash2,
  data_exported: Download,
  opt_out_undone: RotateCcw,
  leaving_confirmed: BellOff,
  leaving_dismissed: RotateCcw,
  restore_released: Play,
  secret_key_lost: KeyRound,
  account_limit_set: UserCog,
};

export function ActivityRow({ event }: { event: AuditEvent }) {
  const { timeZone } = useMe();
  const more = moreOf(event);
  return (
    <li>
      <span
        className={clsx(
          avatarStyles.avatar,
          event.kind === "sign_in_failed" ? activityTabStyles.alert : avatarStyles.grey,
        )}
        data-ui="avatar"
      >
        <Icon of={ICONS[event.kind]} />
      </span>
      <div className={personStyles.person} data-ui="person">
        <div className={clsx(settingsStyles.name, activityTabStyles.name)}>
          <b>{t.done[event.kind](event.subject ?? "")}</b>
          {more && <span>{more}</span>}
        </div>
        <span>{[whoOf(event), event.browser, event.address].filter(Boolean).join(" · ")}</span>
      </div>
      <time dateTime={event.at}>{formatNear(event.at, timeZone)}</time>
    </li>
  );
}

function whoOf({ kind, actor, keyName }: AuditEvent): string {
  // Done on the phone: we only received it.
  if (actor === "system" && kind.startsWith("connection_")) return t.whatsapp;
  if (actor !== "key") return t.actors[actor];
  return keyName === null ? t.keyGone : t.key(keyName);
}

function moreOf({ kind, details }: AuditEvent): string | null {
  if (kind === "limit_set")
    return details?.messages === undefined ? t.noLimit : t.limit(Number(details.messages));
  if (details?.reason !== undefined) return t.reason(String(details.reason));
  if (details?.service !== undefined) return t.services[String(details.service)] ?? null;
  if (details?.contacts !== undefined) return t.contacts(Number(details.contacts));
  if ((kind === "list_renamed" || kind === "list_duplicated") && details?.from)
    return t.from[kind](String(details.from));
  if (details?.host !== undefined) return String(details.host);
  if (kind === "plan_changed" && details?.risks) return t.risky;
  return t.causes[String(details?.cause)] ?? null;
}
