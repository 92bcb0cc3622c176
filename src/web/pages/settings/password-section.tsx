import { useQueryClient } from "@tanstack/react-query";
import { clsx } from "clsx";
import { useState } from "react";
import type { PasswordChanged } from "../../../contract/accounts.ts";
import { errorTextOf } from "../../api/api-error.ts";
import { api } from "../../api/call.ts";
import { useMe } from "../../api/me.ts";
import { newPasswordError } from "../../auth/field-errors.ts";
import { AccountPasswordInput, NewPasswordInputs } from "../../auth/password-inputs.tsx";
import { useForm } from "../../forms/use-form.ts";
import { accessText } from "../../messages/access.ts";
import { accountsText } from "../../messages/accounts.ts";
import { settingsText } from "../../messages/settings.ts";
import { AccessList } from "../../ui/access-list.tsx";
import { SectionCard } from "../../ui/card.tsx";
import { Checkbox } from "../../ui/checkbox.tsx";
import { SmallError } from "../../ui/error-notice.tsx";
import fieldStyles from "../../ui/field.module.css";
import layoutStyles from "../../ui/layout.module.css";
import { Notice } from "../../ui/notice.tsx";
import { toastDone } from "../../ui/toast.tsx";
import { type MarkUnsaved, useMark } from "../../ui/use-unsaved.tsx";
import { FormEnd } from "./form-end.tsx";
import { keysQuery, sessionsQuery } from "./queries.ts";
import { useRound } from "./use-round.ts";

const t = settingsText.password;

export function PasswordSection({ mark }: { mark: MarkUnsaved }) {
  const { round, box, over } = useRound();
  const [changed, setChanged] = useState<PasswordChanged | null>(null);
  return (
    <SectionCard title={t.title} explained={t.explained}>
      <div ref={box}>
        <PasswordForm key={round} mark={mark} onOver={over} onChanged={setChanged} />
      </div>
      {changed && changed.ended.length + changed.living.length > 0 && (
        <Notice tone="info">
          <AccessList title={accessText.ended} all={changed.ended} />
          <AccessList title={accessText.living} text={accessText.livingText} all={changed.living} living />
        </Notice>
      )}
    </SectionCard>
  );
}

const EMPTY = { password: "", newPassword: "", confirmPassword: "", endAccess: true };

type FormProps = { mark: MarkUnsaved; onOver: () => void; onChanged: (changed: PasswordChanged) => void };

function PasswordForm({ mark, onOver, onChanged }: FormProps) {
  const { email } = useMe();
  const queries = useQueryClient();
  const form = useForm({
    initial: EMPTY,
    validate: ({ password, newPassword, confirmPassword }) => ({
      password: password === "" ? t.required : null,
      newPassword: newPasswordError(newPassword),
      confirmPassword: confirmPassword === newPassword ? null : accountsText.signup.differ,
    }),
    submit: async (body) => {
      const changed = await api("POST /api/settings/password", { body });
      void queries.invalidateQueries(sessionsQuery);
      void queries.invalidateQueries(keysQuery);
      toastDone(t.done(changed.endedSessions));
      onChanged(changed);
      onOver();
    },
  });
  const { endAccess, ...typed } = form.values;
  const unsaved = Object.values(typed).some(Boolean);
  useMark(mark, "password", unsaved);
  return (
    <form {...form.formProps} className={layoutStyles.stack4} aria-label={t.title}>
      {form.submitError !== null && <SmallError title={t.failed} text={errorTextOf(form.submitError, "")} />}
      {/* For password managers. */}
      <input
        type="text"
        className={layoutStyles.gone}
        autoComplete="username"
        value={email}
        readOnly
        tabIndex={-1}
      />
      <AccountPasswordInput label={t.current} {...form.text("password")} />
      <div className={fieldStyles.row2}>
        <NewPasswordInputs
          password={{ label: t.next, ...form.text("newPassword") }}
          again={{ label: t.confirm, ...form.text("confirmPassword") }}
        />
      </div>
      <Checkbox checked={endAccess} onChange={(event) => form.set("endAccess", event.target.checked)}>
        {t.endAccess}
        <span className={clsx(fieldStyles.hint, layoutStyles.block)} data-ui="hint">
          {t.endAccessHint}
        </span>
      </Checkbox>
      <FormEnd unsaved={unsaved} busy={form.busy} verb={t.change} busyText={t.changing} onCancel={onOver} />
    </form>
  );
}
