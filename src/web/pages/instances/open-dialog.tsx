import type { Gateway, Instance } from "../../../contract/gateways.ts";
import { AssistantDialog } from "../../assistant/assistant-dialog.tsx";
import { AdoptDialog } from "./adopt-dialog.tsx";
import { DeleteGatewayDialog } from "./delete-gateway-dialog.tsx";
import { DeleteInstanceDialog } from "./delete-instance-dialog.tsx";
import { GatewayDialog } from "./gateway-dialog.tsx";
import { shownName } from "./instance-words.ts";
import { NewInstanceDialog } from "./new-instance-dialog.tsx";
import { UnrecognizedDialog } from "./oddities-dialog.tsx";
import { QrDialog } from "./qr-dialog.tsx";
import { WebhookDialog } from "./webhook-dialog.tsx";

export type Open =
  | { what: "register" }
  | { what: "create" }
  | { what: "edit" | "forget"; gateway: Gateway }
  | { what: "qr" | "webhook" | "assistant" | "adopt" | "delete" | "oddities"; instance: Instance };

type Props = {
  open: Open;
  gateways: readonly Gateway[];
  chosen: Gateway | null;
  /** Null if the server does not list them. */
  instances: readonly Instance[] | null;
  onChoose: (id: number) => void;
  onOpen: (open: Open) => void;
  onClose: () => void;
};

export function OpenDialog({ open, gateways, chosen, instances, onChoose, onOpen, onClose }: Props) {
  switch (open.what) {
    case "register":
      return <GatewayDialog onSaved={({ id }) => onChoose(id)} onClose={onClose} />;
    case "edit":
      return <GatewayDialog gateway={open.gateway} onClose={onClose} />;
    case "forget":
      return <DeleteGatewayDialog gateway={open.gateway} instances={instances} onClose={onClose} />;
    case "create":
      return (
        <NewInstanceDialog
          gateways={gateways}
          chosen={chosen}
          onCreated={(instance) => {
            onChoose(instance.gatewayId);
            onOpen({ what: "qr", instance });
          }}
          onClose={onClose}
        />
      );
    case "qr":
      return <QrDialog instance={open.instance} onClose={onClose} />;
    case "webhook":
      return <WebhookDialog instance={open.instance} gateway={chosen} onClose={onClose} />;
    case "adopt":
      return <AdoptDialog instance={open.instance} onClose={onClose} />;
    case "delete":
      return <DeleteInstanceDialog instance={open.instance} gateway={chosen} onClose={onClose} />;
    case "oddities":
      return <UnrecognizedDialog instance={open.instance} onClose={onClose} />;
    case "assistant":
      return open.instance.connectionId === null ? null : (
        <AssistantDialog
          connectionId={open.instance.connectionId}
          name={shownName(open.instance)}
          onClose={onClose}
        />
      );
  }
}
