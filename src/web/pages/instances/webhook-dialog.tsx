import { useState } from "react";
import type { Gateway, Instance } from "../../../contract/gateways.ts";
import { ApiError, causeText, errorTextOf } from "../../api/api-error.ts";
import { api } from "../../api/call.ts";
import { useMe } from "../../api/me.ts";
import { useStored } from "../../forms/use-form.ts";
import { commonText } from "../../messages/common.ts";
import { instancesText } from "../../messages/instances.ts";
import { Button } from "../../ui/button.tsx";
import { Dialog } from "../../ui/dialog.tsx";
import { SmallError } from "../../ui/error-notice.tsx";
import { TextInput } from "../../ui/inputs.tsx";
import { Notice } from "../../ui/notice.tsx";
import { ProofField } from "../../ui/proof-field.tsx";
import textLinkStyles from "../../ui/text-link.module.css";
import { toastDone } from "../../ui/toast.tsx";
import { useAskedLeave, useMark } from "../../ui/use-unsaved.tsx";
import { useWindowForm } from "../../ui/use-window-form.ts";
import { relayTone, relayWords, shownName } from "./instance-words.ts";
import { useKnown } from "./use-gateways.ts";

const t = instancesText.hook;

type Props = { instance: Instance; gateway: Gateway | null; onClose: () => void };

export function WebhookDialog({ instance, gateway, onClose }: Props) {
  const { timeZone } = useMe();
  const { form, stop, stopping } = useWebhook(instance, onClose);
  const { mark, question, onLeave } = useAskedLeave(onClose);
  useMark(mark, "webhook", form.unsaved);
  const { relay, hook, formerWebhook } = instance;
  const unheard = gateway?.check?.reachesUs === "no";
  return (
    <Dialog
      title={t.title}
      context={t.context(shownName(instance))}
      onClose={onClose}
      onLeave={onLeave}
      busy={form.busy || stopping}
      form={form.formProps}
      foot={
        <>
          {relay ? (
            <Button look="quiet-danger" busy={stopping} disabled={form.busy} onClick={stop}>
              {t.stop}
            </Button>
          ) : (
            <Button onClick={onClose} disabled={form.busy}>
              {commonText.cancel}
            </Button>
          )}
          <Button type="submit" look="primary" busy={form.busy} busyText={t.busy} disabled={stopping}>
            {t.button}
          </Button>
        </>
      }
    >
      {form.submitError !== null && <WebhookError error={form.submitError} />}
      <TextInput
        label={t.url}
        type="url"
        inputMode="url"
        autoComplete="off"
        spellCheck={false}
        placeholder={t.example}
        hint={unheard ? (gateway.provided ? t.unreachedHint : t.literalHint) : t.hint}
        {...form.text("url")}
      />
      <ProofField
        value={form.values.password}
        error={form.error("password")}
        onChange={(password) => form.set("password", password)}
      />
      {formerWebhook && formerWebhook !== form.values.url && (
        <Notice tone="info">
          {hook === "taken" ? t.taker : t.former} <strong>{formerWebhook}</strong>.{" "}
          <button
            type="button"
            className={textLinkStyles.link}
            onClick={() => form.set("url", formerWebhook)}
          >
            {t.useFormer}
          </button>
        </Notice>
      )}
      {relay && (
        <Notice tone={relayTone(relay)}>
          <strong>{t.last}:</strong> {relayWords(relay, timeZone)}
        </Notice>
      )}
      {question}
    </Dialog>
  );
}

function WebhookError({ error }: { error: unknown }) {
  const known = error instanceof ApiError && error.code.startsWith("webhook_");
  return <SmallError title={known ? errorTextOf(error, t.failed) : t.failed} text={causeText(error)} />;
}

function useWebhook({ gatewayId, name, relay }: Instance, onClose: () => void) {
  const known = useKnown();
  const [stopping, setStopping] = useState(false);
  const save = async (url: string, password = "") => {
    const params = { id: gatewayId, name };
    known.instance(
      await api("PUT /api/gateways/{id}/instances/{name}/webhook", { params, body: { url, password } }),
    );
    onClose();
    known.refresh();
  };
  const url = relay?.url ?? "";
  const form = useWindowForm(`webhook ${gatewayId} ${name}`, {
    initial: { url, password: "" },
    secret: ["password"],
    validate: ({ url }) => ({ url: url.trim() === "" ? t.required : null }),
    submit: async ({ url, password }) => {
      await save(url, password);
      toastDone(t.done);
    },
  });
  useStored(form, url, (stored) => ({ url: stored, password: "" }));
  const stop = async () => {
    setStopping(true);
    try {
      await save("");
      toastDone(t.stopped);
    } catch (error) {
      form.fail(error);
      setStopping(false);
    }
  };
  return { form, stop, stopping };
}
