import { useQueryClient } from "@tanstack/react-query";
import { clsx } from "clsx";
import { useState } from "react";
import type { ApiKeyScope } from "../../../contract/settings.ts";
import { ACCOUNT_NAME_MAX, normalizeName } from "../../../domain/account.ts";
import { errorTextOf } from "../../api/api-error.ts";
import { type Answer, api } from "../../api/call.ts";
import { useIdempotentSubmit } from "../../api/use-idempotent-submit.ts";
import { settingsText } from "../../messages/settings.ts";
import { Button } from "../../ui/button.tsx";
import { CopyButton } from "../../ui/copy-button.tsx";
import { Dialog } from "../../ui/dialog.tsx";
import { SmallError } from "../../ui/error-notice.tsx";
import { FormDialog } from "../../ui/form-dialog.tsx";
import { Select, TextInput } from "../../ui/inputs.tsx";
import layoutStyles from "../../ui/layout.module.css";
import { Notice } from "../../ui/notice.tsx";
import { PasswordInput } from "../../ui/password-input.tsx";
import { ProofField } from "../../ui/proof-field.tsx";
import { RadioCards } from "../../ui/radio-cards.tsx";
import { useWindowForm } from "../../ui/use-window-form.ts";
import styles from "./keys.module.css";
import { keysQuery } from "./queries.ts";

const t = settingsText.keys;

type Made = Answer<"POST /api/settings/api-keys">;

/** The created key is shown here once only. */
export function NewKeyDialog({ onClose }: { onClose: () => void }) {
  const [made, setMade] = useState<Made | null>(null);
  const form = useNewKey(setMade);
  if (made)
    return (
      <Dialog
        title={t.madeTitle(made.apiKey.name)}
        onClose={onClose}
        stay
        foot={
          <Button look="primary" onClick={onClose}>
            {t.done}
          </Button>
        }
      >
        <Shown text={made.key} />
      </Dialog>
    );
  return (
    <FormDialog
      title={t.dialog}
      context={t.dialogContext}
      size="mid"
      onClose={onClose}
      form={form}
      verb={t.submit}
      busyText={t.busy}
    >
      <Fields form={form} />
    </FormDialog>
  );
}

const NEW = { name: "", scope: "all" as ApiKeyScope, days: "", password: "" };

function useNewKey(onMade: (made: Made) => void) {
  const queries = useQueryClient();
  const once = useIdempotentSubmit();
  const form = useWindowForm("API key", {
    initial: NEW,
    secret: ["password"],
    validate: ({ name }) => ({ name: nameError(name) }),
    submit: async (values) => {
      const { name, scope, days, password } = values;
      const body = { name, scope, days: days === "" ? null : Number(days) };
      const made = await once(body, (idempotencyKey) =>
        api("POST /api/settings/api-keys", { body: { ...body, password, idempotencyKey } }),
      );
      onMade(made);
      form.settle(values, NEW);
      void queries.invalidateQueries(keysQuery);
    },
  });
  return form;
}

function nameError(typed: string): string | null {
  const name = normalizeName(typed);
  if (name === "") return t.nameRequired;
  return [...name].length > ACCOUNT_NAME_MAX ? t.nameLong(ACCOUNT_NAME_MAX) : null;
}

const SCOPES = (["all", "send", "read"] as const).map((value) => ({
  value,
  name: t.scopes[value],
  explained: t.scopesExplained[value],
}));

const EXPIRIES = [
  { value: "", label: t.neverExpires },
  ...[30, 90, 180, 365].map((days) => ({ value: String(days), label: t.days(days) })),
];

function Fields({ form }: { form: ReturnType<typeof useNewKey> }) {
  return (
    <>
      {form.submitError !== null && (
        <SmallError title={t.createFailed} text={errorTextOf(form.submitError, "")} />
      )}
      <TextInput label={t.name} autoComplete="off" placeholder={t.nameExample} {...form.text("name")} />
      <div className={styles.settingsScopes}>
        <RadioCards
          legend={t.scopeLegend}
          choices={SCOPES}
          value={form.values.scope}
          onChange={(scope) => form.set("scope", scope)}
        />
      </div>
      <Select
        label={t.expiry}
        options={EXPIRIES}
        value={form.values.days}
        onChange={(event) => form.set("days", event.target.value)}
      />
      <ProofField
        value={form.values.password}
        error={form.error("password")}
        onChange={(password) => form.set("password", password)}
      />
    </>
  );
}

function Shown({ text }: { text: string }) {
  return (
    <>
      <Notice tone="warning">
        <p>
          <strong>{t.once}</strong> {t.onceText}
        </p>
      </Notice>
      <div className={clsx(layoutStyles.stack3, styles.settingsMade)}>
        <PasswordInput
          label={t.key}
          value={text}
          readOnly
          autoFocus
          autoComplete="off"
          spellCheck={false}
          showLabel={t.show}
          hideLabel={t.hide}
        />
        <CopyButton text={text} label={t.copy} />
      </div>
    </>
  );
}
