import { useQueryClient } from "@tanstack/react-query";
import { clsx } from "clsx";
import { KeyRound } from "lucide-react";
import type { MistralSettings } from "../../../contract/agents.ts";
import { agentsQuery, mistralSettingsQuery } from "../../api/agents.ts";
import { errorTextOf } from "../../api/api-error.ts";
import { api } from "../../api/call.ts";
import { agentsText } from "../../messages/agents.ts";
import buttonStyles from "../../ui/button.module.css";
import { Button } from "../../ui/button.tsx";
import cardStyles from "../../ui/card.module.css";
import { ConfirmDialog } from "../../ui/confirm-dialog.tsx";
import { QueryError, SmallError } from "../../ui/error-notice.tsx";
import { FormDialog } from "../../ui/form-dialog.tsx";
import { Icon } from "../../ui/icon.tsx";
import { TextInput } from "../../ui/inputs.tsx";
import layoutStyles from "../../ui/layout.module.css";
import pageStyles from "../../ui/page.module.css";
import { PasswordInput } from "../../ui/password-input.tsx";
import { Bone, Skeleton } from "../../ui/skeleton.tsx";
import textStyles from "../../ui/text.module.css";
import { toastDone } from "../../ui/toast.tsx";
import { useRestoredDialog } from "../../ui/use-draft.ts";
import { useWindowForm } from "../../ui/use-window-form.ts";
import styles from "./agents.module.css";
import { useMistralSettings } from "./use-agents.ts";

const t = agentsText.key;

export function MistralKey() {
  const settings = useMistralSettings();
  const [open, setOpen] = useRestoredDialog<"set" | "remove">("Mistral");
  const close = () => setOpen(null);
  if (settings.error && !settings.data) return <QueryError title={t.failed} query={settings} />;
  if (!settings.data) return <Coming />;
  const { source } = settings.data;
  return (
    <section className={clsx(cardStyles.card, layoutStyles.stack4, styles.mistralKey)} aria-label={t.title}>
      <Icon of={KeyRound} className={textStyles.muted} />
      <div>
        <h2 className={cardStyles.cardTitle}>{t.title}</h2>
        <p className={textStyles.quiet}>{said(settings.data)}</p>
      </div>
      <div className={pageStyles.actions} data-ui="actions">
        {source === "account" && (
          <Button small look="quiet-danger" onClick={() => setOpen("remove")}>
            {t.remove}
          </Button>
        )}
        <Button small look={source === "none" ? "primary" : "secondary"} onClick={() => setOpen("set")}>
          {source === "account" ? t.change : t.set}
        </Button>
      </div>
      {open === "set" && <KeyDialog settings={settings.data} onClose={close} />}
      {open === "remove" && <RemoveDialog onClose={close} />}
    </section>
  );
}

function Coming() {
  return (
    <Skeleton className={clsx(cardStyles.card, layoutStyles.stack4, styles.mistralKey)}>
      <Bone width="18px" height="18px" />
      <div>
        <Bone width="8rem" height="14px" style={{ marginTop: 3 }} />
        <Bone width="11rem" style={{ marginTop: 10 }} />
      </div>
      <div className={pageStyles.actions} data-ui="actions">
        <span className={clsx(buttonStyles.btn, buttonStyles.small)} data-ui="btn">
          <Bone width="5rem" />
        </span>
      </div>
    </Skeleton>
  );
}

function said({ source, keyHint, operatorClosed }: MistralSettings): string {
  if (operatorClosed) return t.operatorClosed;
  if (source === "account") return t.account(keyHint ?? "");
  return source === "operator" ? t.operator : t.none;
}

function KeyDialog({ settings, onClose }: { settings: MistralSettings; onClose: () => void }) {
  const queries = useQueryClient();
  const { source, baseUrl, defaultUrl } = settings;
  const own = source === "account" && baseUrl !== defaultUrl ? baseUrl : "";
  const form = useWindowForm("Mistral", {
    initial: { apiKey: "", baseUrl: own },
    secret: ["apiKey"],
    validate: ({ apiKey }) => ({ apiKey: apiKey.trim() === "" ? t.required : null }),
    submit: async (body) => {
      queries.setQueryData(mistralSettingsQuery.queryKey, await api("PUT /api/mistral/settings", { body }));
      // Not awaited: Mistral may be slow.
      void queries.invalidateQueries({ queryKey: ["agents"] });
      toastDone(t.saved);
      onClose();
    },
  });
  return (
    <FormDialog
      title={t.dialog}
      context={t.context}
      onClose={onClose}
      form={form}
      verb={t.save}
      busyText={t.saving}
    >
      {form.submitError !== null && (
        <SmallError title={t.saveFailed} text={errorTextOf(form.submitError, "")} />
      )}
      <PasswordInput
        label={t.field}
        showLabel={t.show}
        hideLabel={t.hide}
        autoComplete="off"
        hint={t.where}
        {...form.text("apiKey")}
      />
      <TextInput
        label={t.base}
        optional
        type="url"
        inputMode="url"
        autoComplete="off"
        hint={t.baseHint(defaultUrl)}
        {...form.text("baseUrl")}
      />
    </FormDialog>
  );
}

function RemoveDialog({ onClose }: { onClose: () => void }) {
  const queries = useQueryClient();
  const remove = async () => {
    queries.setQueryData(mistralSettingsQuery.queryKey, await api("DELETE /api/mistral/settings"));
    void queries.resetQueries({ queryKey: agentsQuery.queryKey });
    void queries.invalidateQueries({ queryKey: ["agents"] });
    toastDone(t.removed);
  };
  return (
    <ConfirmDialog
      question={t.removeQuestion}
      verb={t.removeVerb}
      failure={t.removeFailed}
      onConfirm={remove}
      onClose={onClose}
    >
      {t.removeLost}
    </ConfirmDialog>
  );
}
