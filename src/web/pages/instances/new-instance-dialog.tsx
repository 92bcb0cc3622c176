import { KeyRound } from "lucide-react";
import { useRef } from "react";
import type { Gateway, Instance } from "../../../contract/gateways.ts";
import { causeText, gatewayFailure } from "../../api/api-error.ts";
import { api } from "../../api/call.ts";
import { instancesText } from "../../messages/instances.ts";
import { SmallError } from "../../ui/error-notice.tsx";
import fieldStyles from "../../ui/field.module.css";
import { FormDialog } from "../../ui/form-dialog.tsx";
import { IconButton } from "../../ui/icon-button.tsx";
import { PhoneInput, Select, TextInput } from "../../ui/inputs.tsx";
import { ProofField } from "../../ui/proof-field.tsx";
import { toastDone } from "../../ui/toast.tsx";
import { useWindowForm } from "../../ui/use-window-form.ts";
import { LicenseLink } from "./license-link.tsx";
import { useKnown } from "./use-gateways.ts";

const t = instancesText.create;

type Props = {
  gateways: readonly Gateway[];
  chosen: Gateway | null;
  onCreated: (instance: Instance) => void;
  onClose: () => void;
};

export function NewInstanceDialog({ gateways, chosen, onCreated, onClose }: Props) {
  const { form, taken } = useNewInstance({ gateways, chosen, onCreated });
  return (
    <FormDialog
      title={t.title}
      context={t.context}
      onClose={onClose}
      form={form}
      verb={t.button}
      busyText={t.busy}
    >
      {form.submitError !== null && (
        <SmallError title={t.failed} text={causeText(form.submitError)}>
          <LicenseLink error={form.submitError} />
        </SmallError>
      )}
      <Select
        label={t.gateway}
        options={[
          { value: "", label: t.pick },
          ...gateways.map(({ id, name }) => ({ value: String(id), label: name })),
        ]}
        {...form.text("evolutionId")}
      />
      <TextInput
        label={t.name}
        autoComplete="off"
        spellCheck={false}
        hint={t.nameHint}
        {...form.text("instanceName")}
        error={form.error("instanceName") ?? taken}
      />
      <PhoneInput label={t.number} hint={t.numberHint} {...form.text("number")} />
      <TextInput
        label={t.token}
        autoComplete="off"
        spellCheck={false}
        hint={t.tokenHint}
        within={
          <IconButton
            className={fieldStyles.within}
            label={t.makeToken}
            icon={KeyRound}
            onClick={() => form.set("token", freshToken())}
          />
        }
        {...form.text("token")}
      />
      <TextInput
        label={t.webhook}
        optional
        type="url"
        inputMode="url"
        autoComplete="off"
        spellCheck={false}
        hint={t.webhookHint}
        {...form.text("webhook")}
      />
      {form.values.webhook.trim() !== "" && (
        <ProofField
          value={form.values.password}
          error={form.error("password")}
          onChange={(password) => form.set("password", password)}
        />
      )}
    </FormDialog>
  );
}

function useNewInstance({ gateways, chosen, onCreated }: Omit<Props, "onClose">) {
  const known = useKnown();
  const asked = useRef("");
  const usable = (id: string) => gateways.some((each) => String(each.id) === id && !each.withdrawn);
  const form = useWindowForm("new instance", {
    initial: {
      evolutionId: chosen ? String(chosen.id) : "",
      instanceName: "",
      number: "",
      token: "",
      webhook: "",
      password: "",
    },
    secret: ["password"],
    validate: ({ evolutionId, instanceName, number, token }) => ({
      evolutionId: usable(evolutionId) ? null : t.gatewayInvalid,
      instanceName: instanceName.trim() === "" ? t.nameRequired : null,
      number: number.trim() === "" ? t.numberRequired : null,
      token: token.trim() === "" ? t.tokenRequired : null,
    }),
    submit: async ({ evolutionId, ...typed }) => {
      const body = { ...typed, instanceName: typed.instanceName.trim() };
      asked.current = typed.instanceName;
      const made = await api("POST /api/gateways/{id}/instances", { params: { id: evolutionId }, body });
      known.instance(made);
      toastDone(t.done(made.name));
      onCreated(made);
      known.refresh();
    },
  });
  const failure = gatewayFailure(form.submitError);
  const stays = failure?.cause === "instance_name_taken" && form.values.instanceName === asked.current;
  return { form, taken: stays ? failure.reason : null };
}

/** 128 bits, as gateways make them. */
const freshToken = () =>
  Array.from(crypto.getRandomValues(new Uint8Array(16)), (byte) => byte.toString(16).padStart(2, "0"))
    .join("")
    .toUpperCase();
