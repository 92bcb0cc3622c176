import { Bot, Plug, QrCode, Trash2, Webhook } from "lucide-react";
import type { Instance } from "../../../contract/gateways.ts";
import { instancesText } from "../../messages/instances.ts";
import { Button } from "../../ui/button.tsx";
import cardStyles from "../../ui/card.module.css";
import fieldStyles from "../../ui/field.module.css";
import { IconButton } from "../../ui/icon-button.tsx";
import layoutStyles from "../../ui/layout.module.css";
import { toastDone } from "../../ui/toast.tsx";
import { isAddressable, shownName } from "./instance-words.ts";
import type { Open } from "./open-dialog.tsx";

const t = instancesText.list;

type Props = { instance: Instance; onOpen: (open: Open) => void };

export function InstanceActions({ instance, onOpen }: Props) {
  if (!isAddressable(instance))
    return (
      <p className={fieldStyles.hint} data-ui="hint">
        {t.unnameable}
      </p>
    );
  const name = shownName(instance);
  return (
    <footer className={cardStyles.tileFoot}>
      {instance.connectionId === null ? (
        <Button small icon={Plug} onClick={() => onOpen({ what: "adopt", instance })}>
          {t.adopt}
        </Button>
      ) : (
        <UsedActions instance={instance} onOpen={onOpen} />
      )}
      <IconButton
        small
        className={layoutStyles.push}
        look="quiet-danger"
        label={t.remove(name)}
        icon={Trash2}
        onClick={() => onOpen({ what: "delete", instance })}
      />
    </footer>
  );
}

function UsedActions({ instance, onOpen }: Props) {
  const name = shownName(instance);
  const showCode = () =>
    instance.status === "open" ? toastDone(t.connectedAlready(name)) : onOpen({ what: "qr", instance });
  return (
    <>
      <Button small icon={QrCode} aria-label={t.qrLabel(name)} onClick={showCode}>
        {t.qr}
      </Button>
      <Button
        small
        look="ghost"
        icon={Webhook}
        aria-label={t.webhookLabel(name)}
        onClick={() => onOpen({ what: "webhook", instance })}
      >
        {t.webhook}
      </Button>
      <Button
        small
        look="ghost"
        icon={Bot}
        aria-label={t.assistantLabel(name)}
        onClick={() => onOpen({ what: "assistant", instance })}
      >
        {t.assistant}
      </Button>
    </>
  );
}
