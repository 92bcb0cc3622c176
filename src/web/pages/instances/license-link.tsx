import { ExternalLink } from "lucide-react";
import { gatewayFailure } from "../../api/api-error.ts";
import { instancesText as t } from "../../messages/instances.ts";
import { Icon } from "../../ui/icon.tsx";
import { FileLink } from "../../ui/text-link.tsx";
import styles from "./instances.module.css";

/** The address is the gateway's: only http and https are followed. */
export function LicenseLink({ error, url }: { error?: unknown; url?: string | null }) {
  const address = url ?? gatewayFailure(error)?.licenseUrl;
  if (!address || !/^https?:\/\//i.test(address)) return null;
  return (
    <FileLink className={styles.license} href={address} target="_blank" rel="noreferrer">
      {t.gateway.states.activate}
      <Icon of={ExternalLink} sm />
    </FileLink>
  );
}
