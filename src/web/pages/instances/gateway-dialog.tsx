import type { Gateway } from "../../../contract/gateways.ts";
import { ApiError, causeText } from "../../api/api-error.ts";
import { api } from "../../api/call.ts";
import { useIdempotentSubmit } from "../../api/use-idempotent-submit.ts";
import { onlyDiffering } from "../../forms/use-form.ts";
import { instancesText } from "../../messages/instances.ts";
import { SmallError } from "../../ui/error-notice.tsx";
import { FormDialog } from "../../ui/form-dialog.tsx";
import { TextInput } from "../../ui/inputs.tsx";
import { PasswordInput } from "../../ui/password-input.tsx";
import { ProofField } from "../../ui/proof-field.tsx";
import { toastDone } from "../../ui/toast.tsx";
import { useWindowForm } from "../../ui/use-window-form.ts";
import { useKnown } from "./use-gateways.ts";

const t = instancesText.gateway.form;

type Props = {
  gateway?: Gateway;
  onSaved?: (gateway: Gateway) => void;
  onClose: () => void;
};

/** Tested on saving; the result is shown even if it found an error. */
export function GatewayDialog({ gateway, onSaved, onClose }: Props) {
  const form = useGatewayForm({ gateway, onSaved, onClose });
  return (
    <FormDialog
      title={gateway ? t.editTitle(gateway.name) : t.title}
      context={t.context}
      onClose={onClose}
      form={form}
      verb={gateway ? t.save : t.button}
      busyText={t.busy}
    >
      {form.submitError !== null && (
        <SmallError title={gateway ? t.saveFailed : t.failed} text={causeText(form.submitError)} />
      )}
      <TextInput
        label={t.url}
        type="url"
        inputMode="url"
        autoComplete="off"
        spellCheck={false}
        placeholder={t.urlExample}
        {...form.text("url")}
      />
      <PasswordInput
        label={t.key}
        autoComplete="off"
        spellCheck={false}
        showLabel={t.show}
        hideLabel={t.hide}
        hint={gateway ? t.keyKept(gateway.keyHint || null) : t.keyHint}
        {...form.text("apiKey")}
      />
      <TextInput label={t.name} optional autoComplete="off" hint={t.nameHint} {...form.text("name")} />
      {form.values.url !== gateway?.url && (
        <ProofField
          value={form.values.password}
          error={form.error("password")}
          onChange={(password) => form.set("password", password)}
        />
      )}
    </FormDialog>
  );
}

function useGatewayForm({ gateway, onSaved, onClose }: Props) {
  const known = useKnown();
  const once = useIdempotentSubmit();
  const initial = { url: gateway?.url ?? "", apiKey: "", name: gateway?.name ?? "", password: "" };
  return useWindowForm(`gateway ${gateway?.id ?? ""}`, {
    initial,
    secret: ["apiKey", "password"],
    validate: ({ url, apiKey }) => ({
      url: url.trim() === "" ? t.urlRequired : null,
      apiKey: !gateway && apiKey.trim() === "" ? t.keyRequired : null,
    }),
    submit: async ({ password, ...body }) => {
      const saved = await (gateway
        ? // Only edited fields: another window may have changed the rest.
          api("PATCH /api/gateways/{id}", {
            params: { id: gateway.id },
            body: { ...onlyDiffering(body, initial), password },
          })
        : once(body, (idempotencyKey) =>
            api("POST /api/gateways", { body: { ...body, password, idempotencyKey } }),
          )
      ).catch(atUrl);
      known.gateway(saved);
      onClose();
      onSaved?.(saved);
      toastDone(gateway ? t.saved(saved.name) : t.done(saved.name));
      known.refresh();
    },
  });
}

const OF_THE_URL = ["gateway_exists", "url_private", "url_forbidden"];

/** A forbidden or duplicate address is an error of its field. */
function atUrl(error: unknown): never {
  if (error instanceof ApiError && OF_THE_URL.includes(error.code))
    throw new ApiError({ ...error, text: error.text, fields: { url: error.text } });
  throw error;
}
