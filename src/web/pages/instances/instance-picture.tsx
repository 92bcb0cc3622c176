import { clsx } from "clsx";
import { useState } from "react";
import type { Instance } from "../../../contract/gateways.ts";
import { address } from "../../api/call.ts";
import { initial } from "../../messages/format.ts";
import avatarStyles from "../../ui/avatar.module.css";
import { isAddressable, shownName } from "./instance-words.ts";
import styles from "./instances.module.css";

export function InstancePicture({ instance }: { instance: Instance }) {
  const { gatewayId: id, name, hasPicture, status } = instance;
  const [failed, setFailed] = useState(false);
  const src = address("/api/gateways/{id}/instances/{name}/picture", { params: { id, name } });
  if (hasPicture && !failed && isAddressable(instance))
    return (
      <img
        className={clsx(avatarStyles.avatar, styles.picture)}
        data-ui="avatar picture"
        src={src}
        alt=""
        onError={() => setFailed(true)}
      />
    );
  return (
    <span
      className={clsx(avatarStyles.avatar, styles.picture, !(status === "open") && avatarStyles.grey)}
      data-ui="avatar picture"
      aria-hidden="true"
    >
      {initial(shownName(instance))}
    </span>
  );
}
