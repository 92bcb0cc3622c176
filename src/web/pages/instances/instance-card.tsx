import { clsx } from "clsx";
import { Bot, CalendarPlus, Radio, TriangleAlert, Unplug, Webhook } from "lucide-react";
import type { CSSProperties, ReactNode } from "react";
import type { Instance } from "../../../contract/gateways.ts";
import { formatPhone } from "../../../domain/phone-written.ts";
import { useMe } from "../../api/me.ts";
import { formatDateTime, formatNear, formatNumber } from "../../messages/format.ts";
import { instancesText } from "../../messages/instances.ts";
import { Badge } from "../../ui/badge.tsx";
import cardStyles from "../../ui/card.module.css";
import countsStyles from "../../ui/counts.module.css";
import { Icon, type LucideIcon } from "../../ui/icon.tsx";
import layoutStyles from "../../ui/layout.module.css";
import { Notice } from "../../ui/notice.tsx";
import textStyles from "../../ui/text.module.css";
import textLinkStyles from "../../ui/text-link.module.css";
import { InstanceActions } from "./instance-actions.tsx";
import { InstancePicture } from "./instance-picture.tsx";
import { relayWords, shownName, shownStatus, troubleOf } from "./instance-words.ts";
import styles from "./instances.module.css";
import type { Open } from "./open-dialog.tsx";

const t = instancesText.list;

type Props = {
  instance: Instance;
  /** When the state began; null if unknown. */
  since: string | null;
  onOpen: (open: Open) => void;
};

export function InstanceCard({ instance, since, onOpen }: Props) {
  const { timeZone } = useMe();
  const { name, profileName, number, counts, connectionId } = instance;
  const status = shownStatus(instance);
  const trouble = since === null ? null : troubleOf(instance, since, timeZone);
  return (
    <article
      className={clsx(cardStyles.card, cardStyles.tile, styles.instance)}
      aria-label={shownName(instance)}
    >
      <header>
        <InstancePicture instance={instance} />
        <div className={styles.whose}>
          <h2>{shownName(instance)}</h2>
          <p>
            <span data-ui="num">{number ? formatPhone(number) : t.noNumber}</span>
            {profileName && profileName !== name && <span>{name}</span>}
          </p>
        </div>
        <Badge tone={status.tone} icon={status.icon}>
          {status.label}
        </Badge>
      </header>
      {trouble && <Notice tone="warning">{trouble}</Notice>}
      <HookNotice hook={instance.hook} />
      {instance.keepsMessages === false && (
        <Notice tone="warning">
          <strong>{t.keepsNothing.fact}</strong> {t.keepsNothing.next}
        </Notice>
      )}
      <dl className={countsStyles.counts} style={{ "--columns": 3 } as CSSProperties}>
        <Count label={t.messages} value={counts.messages} />
        <Count label={t.contacts} value={counts.contacts} />
        <Count label={t.chats} value={counts.chats} />
      </dl>
      {connectionId === null ? <Unused instance={instance} /> : <Used instance={instance} onOpen={onOpen} />}
      <InstanceActions instance={instance} onOpen={onOpen} />
    </article>
  );
}

function Count({ label, value }: { label: string; value: number }) {
  return (
    <div>
      <dt>{label}</dt>
      <dd>{formatNumber(value)}</dd>
    </div>
  );
}

const HOOK_NOTICES = { failed: t.hookFailed, literal: t.literal, taken: t.hookTaken };

function HookNotice({ hook }: Pick<Instance, "hook">) {
  if (hook === "ours" || hook === "unset") return null;
  const { fact, next } = HOOK_NOTICES[hook];
  return (
    <Notice tone={hook === "literal" ? "info" : "warning"}>
      <strong>{fact}</strong> {next}
    </Notice>
  );
}

function Unused({ instance: { createdAt } }: { instance: Instance }) {
  const { timeZone } = useMe();
  return (
    <ul className={clsx(textStyles.fact, styles.facts)}>
      {createdAt && <Fact icon={CalendarPlus}>{t.created(formatDateTime(createdAt, timeZone))}</Fact>}
      <Fact icon={Unplug}>{t.unused}</Fact>
    </ul>
  );
}

function Used({ instance, onOpen }: { instance: Instance; onOpen: Props["onOpen"] }) {
  const { timeZone } = useMe();
  const { createdAt, lastEventAt, relay, hook, formerWebhook, oddities, assistant } = instance;
  return (
    <ul className={clsx(textStyles.fact, styles.facts)}>
      {createdAt && <Fact icon={CalendarPlus}>{t.created(formatDateTime(createdAt, timeZone))}</Fact>}
      <Fact icon={Radio}>{lastEventAt ? t.lastEvent(formatNear(lastEventAt, timeZone)) : t.noEvent}</Fact>
      {relay && (
        <Fact icon={Webhook}>
          <span className={clsx(textStyles.secondary, layoutStyles.block)}>{relay.url}</span>{" "}
          {relayWords(relay, timeZone)}
        </Fact>
      )}
      {(hook === "taken" || !relay) && formerWebhook && (
        <Fact icon={Webhook}>
          {hook === "taken" ? t.taker : t.former}{" "}
          <span className={clsx(textStyles.secondary, layoutStyles.block)}>{formerWebhook}</span>
        </Fact>
      )}
      {assistant && (
        <Fact icon={Bot}>
          {assistant.active ? t.assistantOn(assistant.name) : t.assistantOff(assistant.name)}
        </Fact>
      )}
      {oddities > 0 && (
        <Fact icon={TriangleAlert}>
          <button
            type="button"
            className={textLinkStyles.link}
            onClick={() => onOpen({ what: "oddities", instance })}
          >
            {t.oddities(oddities)}
          </button>
        </Fact>
      )}
    </ul>
  );
}

function Fact({ icon, children }: { icon: LucideIcon; children: ReactNode }) {
  return (
    <li>
      <Icon of={icon} sm />
      <span>{children}</span>
    </li>
  );
}
