import { useState } from "react";
import type { Instance } from "../../../contract/gateways.ts";
import { address } from "../../api/call.ts";
import { initial } from "../../messages/format.ts";
import { isAddressable, shownName } from "./instance-words.ts";

export function InstancePicture({ instance }: { instance: Instance }) {
  const { gatewayId: id, name, hasPicture, status } = instance;
  const [failed, setFailed] = useState(false);
  const src = address("/api/gateways/{id}/instances/{name}/picture", { params: { id, name } });
  if (hasPicture && !failed && isAddressable(instance))
    return <img className="avatar picture" src={src} alt="" onError={() => setFailed(true)} />;
  return (
    <span className={status === "open" ? "avatar picture" : "avatar picture grey"} aria-hidden="true">
      {initial(shownName(instance))}
    </span>
  );
}
