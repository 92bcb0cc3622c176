import { ExternalLink } from "lucide-react";
import { gatewayFailure } from "../../api/api-error.ts";
import { instancesText as t } from "../../messages/instances.ts";
import { Icon } from "../../ui/icon.tsx";
import { FileLink } from "../../ui/text-link.tsx";

/** Where a server's licence is activated, out of a failed call or a test. The address is that server's word: only a web address is followed. */
export function LicenseLink({ error, url }: { error?: unknown; url?: string | null }) {
  const address = url ?? gatewayFailure(error)?.licenseUrl;
  if (!address || !/^https?:\/\//i.test(address)) return null;
  return (
    <FileLink className="license" href={address} target="_blank" rel="noreferrer">
      {t.gateway.states.activate}
      <Icon of={ExternalLink} sm />
    </FileLink>
  );
}
